package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// Several matches at once, thoughts that are overtaken, warming up, news, and what a newer protocol sends.

func TestASlowMatchDoesNotHoldUpAnother(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("slow", "quick")
		line.Say(scripted.Decisions(scripted.Decision("slow", 1), scripted.Decision("quick", 1)))
		quick := line.HearChoice()
		line.Expect(quick.GetMatch() == "quick", "the slow one was quicker")
		line.Say(scripted.Ended(scripted.Accepted(quick), "quick"))
		slow := line.HearChoice()
		line.Say(scripted.Ended(scripted.Accepted(slow), "slow"))
		return line.Silence()
	})
	over := make(chan struct{})
	choose := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		if decision.Match == "slow" {
			<-over
		}
		return first(ctx, decision)
	}
	ended := func(ended *cutpursev1.MatchEnded) {
		if ended.GetMatch() == "quick" {
			close(over)
		}
	}

	play(t, choose, quickly(service.Address, cutpurse.WithMatches(2), cutpurse.OnEnded(ended))...)
}

func TestWithConcurrencyBoundsHowManyCallsRunAtOnce(t *testing.T) {
	for bound, wanted := range map[int]int32{0: 8, 1: 1, 3: 3} {
		t.Run(fmt.Sprint(bound), func(t *testing.T) {
			matches := strings.Split("a b c d e f g h", " ")
			service := scripted.Serve(t, func(line *scripted.Line) error {
				line.Begin(matches...)
				asked := &cutpursev1.ConnectResponse{}
				for _, match := range matches {
					asked.Decisions = append(asked.Decisions, scripted.Decision(match, 1))
				}
				line.Say(asked)
				for answered := 0; answered < len(matches); {
					frame := line.Hear()
					answered += len(frame.GetChoices())
					for _, choice := range frame.GetChoices() {
						line.Say(scripted.Ended(scripted.Accepted(choice), choice.GetMatch()))
					}
				}
				return line.Silence()
			})
			var running, most atomic.Int32
			var mutex sync.Mutex
			choose := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
				now := running.Add(1)
				defer running.Add(-1)
				mutex.Lock()
				most.Store(max(most.Load(), now))
				mutex.Unlock()
				// Until as many run as may, and a little longer, in case there are more.
				for wait := time.Now(); most.Load() < wanted && time.Since(wait) < 3*time.Second; {
					time.Sleep(5 * time.Millisecond)
				}
				time.Sleep(50 * time.Millisecond)
				return first(ctx, decision)
			}

			summary := play(t, choose, quickly(service.Address, cutpurse.WithMatches(8), cutpurse.WithConcurrency(bound))...)

			demand(t, "decisions", summary.Decisions, 8)
			demand(t, "calls at once", most.Load(), wanted)
		})
	}
}

func TestAThoughtThatIsOvertakenIsGivenUp(t *testing.T) {
	begun := make(chan struct{})
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		<-begun
		line.Say(scripted.Decisions(scripted.Decision("m", 2)))
		choice := line.HearChoice()
		line.Expect(choice.GetDecision() == 2, "the choice: %v", choice)
		line.Say(scripted.Ended(scripted.Accepted(choice), "m"))
		return line.Silence()
	})
	var calls atomic.Int32
	choose := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		if calls.Add(1) > 1 && decision.Number == 2 && calls.Load() != 2 {
			t.Error("two calls at once for one match")
		}
		if decision.Number == 1 {
			close(begun)
			<-ctx.Done()
			// An error of a thought that nobody needs is no error.
			return nil, ctx.Err()
		}
		return first(ctx, decision)
	}

	summary := play(t, choose, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decisions", summary.Decisions, 1)
	demand(t, "calls", calls.Load(), 2)
}

func TestCallsForOneMatchComeOneAtATimeEvenIfTheyDoNotMindTheirContext(t *testing.T) {
	begun := make(chan struct{})
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		for number := uint32(1); number <= 3; number++ {
			line.Say(scripted.Decisions(scripted.Decision("m", number)))
			if number == 1 {
				<-begun
			}
		}
		choice := line.HearChoice()
		line.Expect(choice.GetDecision() == 3, "the choice: %v", choice)
		line.Say(scripted.Ended(scripted.Accepted(choice), "m"))
		return line.Silence()
	})
	var running atomic.Int32
	var asked []int
	choose := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		if running.Add(1) != 1 {
			t.Error("two calls at once for one match")
		}
		defer running.Add(-1)
		asked = append(asked, decision.Number)
		if decision.Number == 1 {
			close(begun)
		}
		time.Sleep(100 * time.Millisecond)
		return first(ctx, decision)
	}

	play(t, choose, quickly(service.Address, cutpurse.WithMatches(1))...)

	// The second was overtaken while it waited for the first, unless this machine is very busy.
	demand(t, "asked first", asked[0], 1)
	demand(t, "asked last", asked[len(asked)-1], 3)
}

func TestABotWarmsUpBeforeItIsReady(t *testing.T) {
	var done atomic.Bool
	service := scripted.Serve(t, func(line *scripted.Line) error {
		// The clocks run already, since before a restart.
		line.WelcomeWith(scripted.Decisions(scripted.Decision("m", 1)), "m")
		isReady, choices := false, []*cutpursev1.Choice{}
		for len(choices) == 0 {
			frame := line.Hear()
			line.Expect(done.Load(), "it said something before it was warm: %v", frame)
			isReady = isReady || len(frame.GetReadies()) == 1
			choices = frame.GetChoices()
		}
		line.Expect(isReady, "it is not ready")
		line.Say(scripted.Ended(scripted.Accepted(choices...), "m"))
		return line.Silence()
	})
	warmUp := func(ctx context.Context, offer *cutpursev1.MatchOffered) error {
		time.Sleep(50 * time.Millisecond)
		done.Store(true)
		return ctx.Err()
	}
	choose := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		if !done.Load() {
			t.Error("asked before it was warm")
		}
		return first(ctx, decision)
	}

	play(t, choose, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.OnMatch(warmUp))...)
}

func TestAnErrorOfTheWarmUpEndsTheBot(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Welcome("m")
		line.Expect(line.Hear() == nil, "the bot is ready")
		return nil
	})
	warmUp := func(context.Context, *cutpursev1.MatchOffered) error { return errMistake }

	_, err := run(t, first, quickly(service.Address, cutpurse.OnMatch(warmUp))...)

	if !errors.Is(err, errMistake) {
		t.Errorf("the error is %v", err)
	}
}

func TestNewsAndTypedActionsAreAskedForOnlyIfWanted(t *testing.T) {
	decision := scripted.Decision("m", 1)
	decision.LegalActions = []*cutpursev1.Action{{}, {}}
	service := scripted.Serve(t, func(line *scripted.Line) error {
		hello := line.Begin("m")
		line.Expect(hello.GetWantsResolved() && hello.GetWantsLegalActions(), "Hello: %v", hello)
		line.Say(&cutpursev1.ConnectResponse{News: []*cutpursev1.MatchNews{{Match: "m"}}})
		line.Say(scripted.Decisions(decision))
		line.Say(scripted.Ended(scripted.Accepted(line.HearChoice()), "m"))
		return line.Silence()
	})
	var heard []string
	hear := func(news *cutpursev1.MatchNews) { heard = append(heard, news.GetMatch()) }
	choose := func(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		actions, err := decision.LegalActions()
		if err != nil {
			return nil, err
		}
		return cutpurse.Action(actions[1]), nil
	}

	play(t, choose, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.WithLegalActions(), cutpurse.OnNews(hear))...)

	demand(t, "heard", fmt.Sprint(heard), "[m]")
}

func TestWhatANewerProtocolSendsIsSurvived(t *testing.T) {
	unknownGame := scripted.Decision("m", 1)
	unknownGame.View = scripted.Newer(&cutpursev1.View{})
	withUnknownCard := scripted.Decision("m", 2)
	withUnknownCard.View.GetArtRobbery().Hand = []cutpursev1.ArtRobberyCard{4711}
	var seen []*cutpurse.Decision
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.WelcomeWith(scripted.Newer(&cutpursev1.ConnectResponse{}))
		offer := scripted.Newer(scripted.Offer("m"))
		offer.Configuration.Game = "a_newer_game"
		line.Say(&cutpursev1.ConnectResponse{Offers: []*cutpursev1.MatchOffered{offer}})
		line.HearReady("m")
		line.Say(scripted.Newer(&cutpursev1.ConnectResponse{}))
		line.Say(scripted.Newer(scripted.Decisions(scripted.Newer(unknownGame))))
		// A reason that is newer says nothing about corrections, so it is taken for final.
		line.Say(scripted.Refused(line.HearChoice(), 4711))
		line.Say(scripted.Decisions(withUnknownCard))
		ended := scripted.Ended(scripted.Accepted(line.HearChoice()), "m")
		ended.Ended[0].Result.Reason = 4711
		line.Say(ended)
		return line.Silence()
	})
	look := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		seen = append(seen, decision)
		return byLot(ctx, decision)
	}
	log := &written{}

	summary := play(t, look, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.WithLogger(log.logger()))...)

	demand(t, "decisions, refused", fmt.Sprint(summary.Decisions, summary.Refused), "1 1")
	demand(t, "game", seen[0].Game, "a_newer_game")
	demand(t, "cards of an unknown game", len(seen[0].View.GetArtRobbery().GetHand()), 0)
	field, _, _ := protowire.ConsumeTag(seen[0].Message.ProtoReflect().GetUnknown())
	demand(t, "the unknown field", field, 9999)
	demand(t, "an unknown card", seen[1].View.GetArtRobbery().GetHand()[0], 4711)
	if !strings.Contains(log.String(), "reason=4711") {
		t.Errorf("logged: %s", log)
	}
}
