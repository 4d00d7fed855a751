package cutpurse

import (
	"bytes"
	cryptorandom "crypto/rand"
	"encoding/binary"
	"log/slog"

	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

const (
	choicesPerFrameMax = 256
	readiesPerFrameMax = 256
	frameBytesMax      = 64 * 1024
	// How often one answer is sent again because the service could not write it down just then.
	retriesMax = 100
)

// Event is what a bot may have to do something about: a *cutpursev1.MatchOffered, a *Decision, a *Refusal, a
// *cutpursev1.MatchNews or a *cutpursev1.MatchEnded. A later version may have more of them, so leave the rest alone.
type Event any

// Refusal is a choice that was not taken.
type Refusal struct {
	// Decision is what was to be decided.
	Decision *Decision
	// Message is what the service said.
	Message *cutpursev1.ChoiceRefused
	// Correctable tells whether another answer to the same decision may be given now.
	Correctable bool
}

// phase is how far the latest decision of a match has come.
type phase int

const (
	settled phase = iota
	given         // The bot is thinking.
	sent          // Answered; no reply yet.
)

// intent is an answer and its request id, made once and the same in every repetition.
type intent struct {
	choice  *cutpursev1.Choice
	retries int
}

// table is one running match: what was offered, and the latest decision.
type table struct {
	offer    *cutpursev1.MatchOffered
	ready    bool
	number   uint32
	phase    phase
	decision *Decision
	intent   *intent
}

// session is what a bot knows across its streams: its matches, the decisions it owes, the answers that have no reply yet.
//
// Nothing here waits, sends or locks. Frames go in and events come out; answers go in and frames come out. So every order in
// which things can be lost, doubled or cut off is a plain function call in a test.
//
// A decision goes this way; what arrives twice or late changes nothing:
//
//	given (the bot is thinking)  --answer-->  sent (no reply yet)  --accepted-->  settled
//	  ^                                         |
//	  +------------- refused, may be corrected -+-- refused otherwise -->  settled
type session struct {
	log        *slog.Logger
	randomness randomness
	tables     map[string]*table
	// Matches in the order in which they were offered, so that what is said again keeps an order.
	order    []string
	readies  []string
	outbox   []*intent
	idPrefix [8]byte
	ids      uint64
	// Decisions that were answered and have no reply yet.
	owed int
	// Choices that are in the log.
	accepted int
	// The service is going to stop, and wants this stream to end.
	draining bool
	// The largest frame that the service reads.
	frameBytesMax int
	// Answers that the service could not write down just then: to be sent again after a pause.
	postponed []*intent
}

func newSession(randomness randomness, log *slog.Logger) *session {
	s := &session{log: log, randomness: randomness, tables: map[string]*table{}, frameBytesMax: frameBytesMax}
	// No two processes of one bot make the same id, and one process counts.
	_, _ = cryptorandom.Read(s.idPrefix[:])
	return s
}

// running are the matches that were offered and, as far as is known here, are not over.
func (s *session) running() []*cutpursev1.MatchOffered {
	offers := make([]*cutpursev1.MatchOffered, 0, len(s.order))
	for _, match := range s.order {
		offers = append(offers, s.tables[match].offer)
	}
	return offers
}

// hasSomethingToSay tells whether nextFrame has something.
func (s *session) hasSomethingToSay() bool { return len(s.outbox) > 0 || len(s.readies) > 0 }

// isBusy tells whether the bot thinks about something, or something that it said has no reply yet.
func (s *session) isBusy() bool {
	if s.owed > 0 || len(s.readies) > 0 {
		return true
	}
	for _, table := range s.tables {
		if table.phase == given {
			return true
		}
	}
	return false
}

// beginStream is called for a new stream: whatever has no reply is said again, with the same request ids.
func (s *session) beginStream() {
	s.draining = false
	s.postponed, s.readies, s.outbox = nil, nil, nil
	for _, match := range s.order {
		table := s.tables[match]
		if table.ready && table.number == 0 {
			s.readies = append(s.readies, match)
		}
		if table.intent != nil {
			s.outbox = append(s.outbox, table.intent)
		}
	}
}

// ready is told once the bot is warm.
func (s *session) ready(match string) {
	if table := s.tables[match]; table != nil {
		table.ready = true
		s.readies = append(s.readies, match)
	}
}

// answer takes an answer to a decision. It returns false if the decision is over or has an answer: too late is no error.
func (s *session) answer(decision *Decision, answer Answer) (bool, error) {
	if !s.isOpen(decision) {
		s.log.Debug("a decision needs no answer any more", "match", decision.Match, "decision", decision.Number)
		return false, nil
	}
	table := s.tables[decision.Match]
	choice := &cutpursev1.Choice{Match: decision.Match, Decision: table.number}
	if answer == nil {
		return false, &AnswerInvalidError{Decision: decision, Text: "nil"}
	}
	if err := answer.write(choice, decision); err != nil {
		return false, err
	}
	s.ids++
	choice.RequestId = binary.BigEndian.AppendUint64(bytes.Clone(s.idPrefix[:]), s.ids)
	table.intent = &intent{choice: choice}
	table.phase = sent
	s.owed++
	s.outbox = append(s.outbox, table.intent)
	return true, nil
}

// isOpen tells whether a decision still waits for the bot's answer.
func (s *session) isOpen(decision *Decision) bool {
	table := s.tables[decision.Match]
	return table != nil && table.decision == decision && table.phase == given
}

// nextFrame is the next frame to send with everything that is to be said, as far as it fits; nil if there is nothing.
func (s *session) nextFrame() *cutpursev1.ConnectRequest {
	if !s.hasSomethingToSay() {
		return nil
	}
	frame := &cutpursev1.ConnectRequest{}
	readies := min(len(s.readies), readiesPerFrameMax)
	for _, match := range s.readies[:readies] {
		frame.Readies = append(frame.Readies, &cutpursev1.Ready{Match: match})
	}
	s.readies = s.readies[readies:]
	room := s.frameBytesMax - proto.Size(frame)
	for len(s.outbox) > 0 && len(frame.Choices) < choicesPerFrameMax {
		choice := s.outbox[0].choice
		// Two bytes or three say how long a choice is.
		room -= proto.Size(choice) + 4
		if room < 0 && len(frame.Choices) > 0 {
			break
		}
		frame.Choices = append(frame.Choices, choice)
		s.outbox = s.outbox[1:]
	}
	return frame
}

// sendPostponed is called when the pause is over: say again what the service could not write down.
func (s *session) sendPostponed() {
	for _, intent := range s.postponed {
		if table := s.tables[intent.choice.GetMatch()]; table != nil && table.intent == intent {
			s.outbox = append(s.outbox, intent)
		}
	}
	s.postponed = nil
}
