package cutpurse

import (
	cryptorandom "crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Decision is what a bot is asked, with everything that its seat may know. It belongs to whoever answers it, and is only read:
// its messages are not copies.
type Decision struct {
	// Match is the match's identifier.
	Match string
	// Number counts this seat's own decisions in this match, from 1.
	Number int
	// Game is the game's identifier, such as art_robbery.
	Game string
	// Seat is this bot's seat, from 0.
	Seat int
	// Players is how many seats are at the table.
	Players int
	// Legal are the legal actions in notation, in canonical order; never empty.
	Legal []string
	// View is what this seat may know: View.GetArtRobbery(), View.GetBigMax() or View.GetShadowThief(), nil for other games.
	View *cutpursev1.View
	// DecisionLeft is the time left for this decision before the bank is used, as of when the service sent it. Milliseconds count.
	DecisionLeft time.Duration
	// BankLeft is the time left in this seat's bank.
	BankLeft time.Duration
	// LastCharged is what was charged for this seat's last decision.
	LastCharged time.Duration
	// Random is a source of chance of this decision's own, a function of the seed, the match, the seat and the decision's number.
	// Like every rand.Rand it is for one goroutine at a time.
	Random *rand.Rand
	// Offer is what was said about the match before it began: options, clock, the names of the seats.
	Offer *cutpursev1.MatchOffered
	// Message is the decision as it came, for whatever has no field here.
	Message *cutpursev1.Decision
}

func newDecision(message *cutpursev1.Decision, offer *cutpursev1.MatchOffered, randomness randomness) *Decision {
	match, seat, number := message.GetMatch(), message.GetSeat(), message.GetDecision()
	return &Decision{
		Match:        match,
		Number:       int(number),
		Game:         offer.GetConfiguration().GetGame(),
		Seat:         int(seat),
		Players:      int(offer.GetPlayers()),
		Legal:        message.GetLegal(),
		View:         message.GetView(),
		DecisionLeft: time.Duration(message.GetDecisionMsLeft()) * time.Millisecond,
		BankLeft:     time.Duration(message.GetBankMsLeft()) * time.Millisecond,
		LastCharged:  time.Duration(message.GetLastChargedMs()) * time.Millisecond,
		Random:       randomness.source(match, seat, number),
		Offer:        offer,
		Message:      message,
	}
}

// LegalActions are the legal actions as typed messages, in the order of Legal. It returns a [DecisionUnreadableError] unless
// they were asked for by [WithLegalActions].
func (d *Decision) LegalActions() ([]*cutpursev1.Action, error) {
	if len(d.Message.GetLegalActions()) == 0 {
		return nil, &DecisionUnreadableError{Text: "typed actions are sent on request only: pass WithLegalActions()"}
	}
	return d.Message.GetLegalActions(), nil
}

// CorrectionsLeft tells how many refused answers may still be corrected; limited is false where there is no limit.
func (d *Decision) CorrectionsLeft() (left int, limited bool) {
	return int(d.Message.GetCorrectionsLeft()), d.Message.CorrectionsLeft != nil
}

// String names the decision and its legal actions, for people.
func (d *Decision) String() string {
	return fmt.Sprintf("decision %d of match %s (%s, seat %d, legal %q)", d.Number, d.Match, d.Game, d.Seat, d.Legal)
}

// randomness is where Decision.Random comes from: one key for a whole process, one independent source per decision. A bot that
// keeps no memory of its own therefore plays the same again when it is started anew in the middle of a match.
type randomness [sha256.Size]byte

// newRandomness makes the key of a seed, or, without one, a key that no other process has.
func newRandomness(seed *string) randomness {
	if seed != nil {
		// Hashed first, so that the key has a fixed length and no seed can imitate what follows it.
		return sha256.Sum256([]byte(*seed))
	}
	var key randomness
	// It never fails, says its documentation: where the system has no chance, the program ends.
	_, _ = cryptorandom.Read(key[:])
	return key
}

// source is as fresh as if nothing had been drawn from it.
func (r randomness) source(match string, seat, number uint32) *rand.Rand {
	text := fmt.Appendf(r[:], "%s/%d/%d", match, seat, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(text)))
}
