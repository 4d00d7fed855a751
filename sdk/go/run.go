package cutpurse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Choose is the bot: from a decision to an answer.
//
// It is called from several goroutines at once when several matches are played, one call at a time for each match;
// [WithConcurrency](1) makes it one call at a time altogether. Its context is done when the answer is not needed any more: when
// the decision or the match is over, or the bot stops. What it returns after that is ignored.
type Choose func(ctx context.Context, decision *Decision) (Answer, error)

// resultsKeptMax bounds Summary.Results: a bot that plays for weeks keeps the results of its latest matches only.
const resultsKeptMax = 10_000

// Summary is what became of a bot's time at the tables.
type Summary struct {
	// Bot is the bot's name as the service knows it.
	Bot string
	// Ending is why it came to an end; empty if that was an error.
	Ending Ending
	// Matches are the matches that are over.
	Matches int
	// Decisions are the choices of the bot that are in the log.
	Decisions int
	// Refused are the choices that were not taken, those included that were put right.
	Refused int
	// Results are the ends of the latest matches, at most 10,000, in the order in which they came.
	Results []*cutpursev1.MatchEnded
}

// Main is the whole of a bot's main function: it plays until SIGINT or SIGTERM, or the service stops for good, or the matches
// asked for are over.
//
// A first signal ends in good order: what was answered is brought home. A second one ends the program at once. An error is
// printed, and the exit code is 2 for settings that cannot be used and 1 for everything else.
func Main(choose Choose, opts ...Option) {
	ctx, letSignalsKill := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, letSignalsKill)
	_, err := Run(ctx, choose, opts...)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	var unusable *SettingsInvalidError
	if errors.As(err, &unusable) {
		os.Exit(2)
	}
	os.Exit(1)
}

// Run plays until the matches asked for are over, or ctx is done, or the service stops for good. A context that is done is a good
// end, and no error: what was answered is brought home, for two seconds at most. Signals are left alone; [Main] handles them.
//
// Its errors are [SettingsInvalidError], [ServiceRefusedError], [ServiceUnreachableError], [ChoiceFailedError] with what choose
// returned, [AnswerInvalidError], [ChoiceNotTakenError], and what [OnMatch] returns. The summary is right in any case.
//
// It waits for calls of choose that are under way, but not for longer than two seconds if they do not mind their context.
func Run(ctx context.Context, choose Choose, opts ...Option) (Summary, error) {
	given := gather(opts)
	if choose == nil {
		return Summary{}, invalid("choose is nil: a bot is a function from a decision to an answer")
	}
	if err := given.check(); err != nil {
		return Summary{}, err
	}
	client, err := newClient(given)
	if err != nil {
		return Summary{}, err
	}
	player := newPlayer(choose, given, client)
	defer context.AfterFunc(ctx, client.Stop)()
	err = player.play()
	player.waitForCalls(grace)
	return player.summary(), errors.Join(err, client.Close())
}

// play carries events to where they belong, until the end.
func (p *player) play() error {
	defer p.giveUp()
	for {
		event, err := p.client.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch event := event.(type) {
		case *Decision:
			p.decide(event)
		case *cutpursev1.MatchOffered:
			p.prepare(event)
		case *cutpursev1.MatchEnded:
			p.end(event)
		case *Refusal:
			p.mend(event)
		case *cutpursev1.MatchNews:
			if p.options.onNews != nil {
				p.options.onNews(event)
			}
		}
	}
}

// mend is called when a choice was not taken.
func (p *player) mend(refusal *Refusal) {
	p.refused++
	message, decision := refusal.Message, refusal.Decision
	if p.options.onRefused == Fail {
		p.client.stop("", &ChoiceNotTakenError{Refusal: message})
		return
	}
	p.options.log.Warn("a choice was refused", "match", message.GetMatch(), "decision", message.GetDecision(),
		"reason", ReasonName(message.GetReason()), "text", message.GetText())
	// One refusal of the first legal action is enough.
	if refusal.Correctable && p.defaulted[decision.Match] != decision.Number {
		p.defaulted[decision.Match] = decision.Number
		p.answerFirstLegal(decision)
	}
}

// end is called when a match is over.
func (p *player) end(ended *cutpursev1.MatchEnded) {
	match := ended.GetMatch()
	p.matches++
	if len(p.results) == resultsKeptMax {
		p.results = slices.Delete(p.results, 0, resultsKeptMax/10)
	}
	p.results = append(p.results, ended)
	delete(p.defaulted, match)
	p.leave(match)
	if p.options.onEnded != nil {
		p.options.onEnded(ended)
	}
	if p.matches == p.options.matches {
		p.client.stop(MatchesPlayed, nil)
	}
}

func (p *player) summary() Summary {
	return Summary{
		Bot:       p.client.Bot(),
		Ending:    p.client.Ending(),
		Matches:   p.matches,
		Decisions: p.client.Accepted(),
		Refused:   p.refused,
		Results:   p.results,
	}
}

// waitForCalls waits until no call of the author's functions runs any more, but not for ever.
func (p *player) waitForCalls(wait time.Duration) {
	ended := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(wait):
		p.options.log.Warn("choose does not mind its context; leaving it behind")
	}
}
