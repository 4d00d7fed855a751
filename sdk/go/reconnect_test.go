package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// Streams break at every point, deliver twice, drain, or end unseen; no answer is lost or takes effect twice.

func TestAMatchGoesOnWhereverTheStreamBroke(t *testing.T) {
	for name, broken := range map[string]scripted.Script{
		"before Hello is read": func(line *scripted.Line) error { return line.BreakOff(codes.Unavailable, "") },
		"before Welcome": func(line *scripted.Line) error {
			line.Hear()
			return line.BreakOff(codes.Unavailable, "")
		},
		"without Welcome, in good order": func(line *scripted.Line) error { return nil },
		"after Welcome": func(line *scripted.Line) error {
			line.Welcome()
			return line.BreakOff(codes.Unavailable, "")
		},
		"before Ready": func(line *scripted.Line) error {
			line.Welcome("m")
			return line.BreakOff(codes.Unavailable, "")
		},
		"after Ready": func(line *scripted.Line) error {
			line.Begin("m")
			return line.BreakOff(codes.Internal, "")
		},
		"with the decision": func(line *scripted.Line) error {
			line.Begin("m")
			line.Say(scripted.Decisions(scripted.Decision("m", 1)))
			return line.BreakOff(codes.Unavailable, "")
		},
		"after the choice": func(line *scripted.Line) error {
			line.Begin("m")
			line.Say(scripted.Decisions(scripted.Decision("m", 1)))
			line.HearChoice()
			return line.BreakOff(codes.Unavailable, "")
		},
		"in good order": func(line *scripted.Line) error {
			line.Begin("m")
			return nil
		},
		"as cancelled": func(line *scripted.Line) error {
			line.Begin("m")
			return line.BreakOff(codes.Canceled, "")
		},
		"as too slow": func(line *scripted.Line) error {
			line.Begin("m")
			return line.BreakOff(codes.ResourceExhausted, "READER_TOO_SLOW")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := scripted.Serve(t, broken, scripted.Finish)
			service.Known = running("m")
			bot, warmed := &counted{}, []string{}
			warmUp := func(_ context.Context, offer *cutpursev1.MatchOffered) error {
				warmed = append(warmed, offer.GetMatch())
				return nil
			}

			summary := play(t, bot.choose, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.OnMatch(warmUp))...)

			demand(t, "matches", summary.Matches, 1)
			demand(t, "decisions", summary.Decisions, 1)
			demand(t, "asked", fmt.Sprint(bot.asked), "[1]")
			demand(t, "warmed up", fmt.Sprint(warmed), "[m]")
		})
	}
}

// running is what a service knows of matches that run.
func running(matches ...string) map[string]*cutpursev1.GetMatchResponse {
	known := map[string]*cutpursev1.GetMatchResponse{}
	for _, match := range matches {
		known[match] = &cutpursev1.GetMatchResponse{Phase: cutpursev1.MatchPhase_MATCH_PHASE_RUNNING}
	}
	return known
}

func TestAnAnswerWithoutAReplyIsSaidAgainWithTheSameRequestID(t *testing.T) {
	var said []*cutpursev1.Choice
	loseTheReply := func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		said = append(said, line.HearChoice())
		return line.BreakOff(codes.Unavailable, "")
	}
	loseItAgain := func(line *scripted.Line) error {
		line.Welcome("m")
		said = append(said, line.HearChoice())
		return line.BreakOff(codes.Unavailable, "")
	}
	reply := func(line *scripted.Line) error {
		line.Welcome("m")
		said = append(said, line.HearChoice())
		line.Say(scripted.Ended(scripted.Accepted(said[len(said)-1]), "m"))
		return line.Silence()
	}
	service := scripted.Serve(t, loseTheReply, loseItAgain, reply)
	service.Known = running("m")

	// Random answers would differ if the bot were asked again.
	summary := play(t, byLot, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decisions", summary.Decisions, 1)
	demand(t, "said", len(said), 3)
	if !proto.Equal(said[0], said[1]) || !proto.Equal(said[1], said[2]) {
		t.Errorf("the answer changed: %v", said)
	}
	if length := len(said[0].GetRequestId()); length < 1 || length > 64 {
		t.Errorf("a request id of %d bytes", length)
	}
}

func TestAReadyThatWasLostIsSaidAgain(t *testing.T) {
	loseTheReady := func(line *scripted.Line) error {
		line.Begin("m")
		return line.BreakOff(codes.Unavailable, "")
	}
	hearItAgain := func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Ended(&cutpursev1.ConnectResponse{}, "m"))
		return line.Silence()
	}
	service := scripted.Serve(t, loseTheReady, hearItAgain)
	service.Known = running("m")

	play(t, first, quickly(service.Address, cutpurse.WithMatches(1))...)
}

func TestAnEndThatCameWhileTheStreamWasBrokenIsAskedFor(t *testing.T) {
	for _, owed := range []bool{false, true} {
		t.Run(fmt.Sprintf("owed %t", owed), func(t *testing.T) {
			breakOff := func(line *scripted.Line) error {
				line.Begin("ended", "voided", "forgotten", "running")
				if owed {
					line.Say(scripted.Decisions(scripted.Decision("ended", 1)))
					line.HearChoice()
				}
				return line.BreakOff(codes.Unavailable, "")
			}
			offerWhatRuns := func(line *scripted.Line) error {
				line.Welcome("running")
				line.Say(scripted.Ended(&cutpursev1.ConnectResponse{}, "running"))
				return line.Silence()
			}
			service := scripted.Serve(t, breakOff, offerWhatRuns)
			service.Known = running("running")
			service.Known["ended"] = &cutpursev1.GetMatchResponse{
				Phase:  cutpursev1.MatchPhase_MATCH_PHASE_ENDED,
				Result: &cutpursev1.MatchResult{Placements: []uint32{2, 1}},
			}
			service.Known["voided"] = &cutpursev1.GetMatchResponse{
				Phase:     cutpursev1.MatchPhase_MATCH_PHASE_VOIDED,
				VoidCause: cutpursev1.VoidCause_VOID_CAUSE_ABORTED,
			}

			summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(4))...)

			ends := map[string]*cutpursev1.MatchEnded{}
			for _, ended := range summary.Results {
				ends[ended.GetMatch()] = ended
			}
			demand(t, "matches", summary.Matches, 4)
			demand(t, "places", fmt.Sprint(ends["ended"].GetResult().GetPlacements()), "[2 1]")
			demand(t, "voided", ends["voided"].GetVoidCause(), cutpursev1.VoidCause_VOID_CAUSE_ABORTED)
			demand(t, "forgotten", ends["forgotten"].GetVoidCause(), cutpursev1.VoidCause_VOID_CAUSE_PLATFORM)
			demand(t, "running", fmt.Sprint(ends["running"].GetResult().GetPlacements()), "[1 2]")
		})
	}
}

func TestWhatIsDeliveredTwiceIsDoneOnce(t *testing.T) {
	decision := func(number uint32) *cutpursev1.Decision { return scripted.Decision("m", number) }
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(&cutpursev1.ConnectResponse{Offers: []*cutpursev1.MatchOffered{scripted.Offer("m")}})
		line.Say(scripted.Decisions(decision(1), decision(1)))
		choice := line.HearChoice()
		frame := scripted.Accepted(choice, choice)
		frame.Decisions = append(frame.Decisions, decision(1))
		line.Say(frame)
		line.Say(frame)
		line.Say(scripted.Refused(choice, cutpursev1.ErrorReason_ERROR_REASON_CHOICE_ILLEGAL))
		line.Say(scripted.Decisions(decision(2), decision(1)))
		choice = line.HearChoice()
		line.Expect(choice.GetDecision() == 2, "decision 2 was open: %v", choice)
		line.Say(scripted.Ended(scripted.Accepted(choice), "m", "m"))
		line.Say(scripted.Ended(scripted.Decisions(decision(2)), "m"))
		line.Say(scripted.Ended(&cutpursev1.ConnectResponse{Offers: []*cutpursev1.MatchOffered{scripted.Offer("n")}}, "n"))
		return line.Silence()
	})
	bot := &counted{}

	summary := play(t, bot.choose, quickly(service.Address, cutpurse.WithMatches(2))...)

	demand(t, "asked", fmt.Sprint(bot.asked), "[1 2]")
	demand(t, "matches, decisions, refused", fmt.Sprint(summary.Matches, summary.Decisions, summary.Refused), "2 2 0")
}

func TestAThoughtGoesOnWhileTheStreamIsMended(t *testing.T) {
	broken := make(chan struct{})
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		time.Sleep(20 * time.Millisecond)
		close(broken)
		return line.BreakOff(codes.Unavailable, "")
	}, scripted.Finish)
	service.Known = running("m")
	var asked []int
	slow := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		asked = append(asked, decision.Number)
		<-broken
		time.Sleep(100 * time.Millisecond)
		return first(ctx, decision)
	}

	summary := play(t, slow, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "asked", fmt.Sprint(asked), "[1]")
	demand(t, "decisions", summary.Decisions, 1)
}

func TestADrainedStreamIsFinishedAndDialledAnew(t *testing.T) {
	drain := func(line *scripted.Line) error {
		line.Begin("m")
		frame := scripted.Decisions(scripted.Decision("m", 1))
		frame.Draining = &cutpursev1.Draining{}
		line.Say(frame)
		line.Say(scripted.Accepted(line.HearChoice()))
		// The bot has nothing more to say, and says so.
		line.HearEnd()
		return nil
	}
	goOn := func(line *scripted.Line) error {
		line.WelcomeWith(scripted.Decisions(scripted.Decision("m", 2)), "m")
		choice := line.HearChoice()
		line.Expect(choice.GetDecision() == 2, "decision 2 was open: %v", choice)
		line.Say(scripted.Accepted(choice))
		// This stream is not about to end.
		time.Sleep(50 * time.Millisecond)
		line.Say(scripted.Decisions(scripted.Decision("m", 3)))
		line.Say(scripted.Ended(scripted.Accepted(line.HearChoice()), "m"))
		return line.Silence()
	}
	service := scripted.Serve(t, drain, goOn)
	service.Known = running("m")

	summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decisions", summary.Decisions, 3)
}

func TestAServiceThatCameBackAfterDrainingAndThenBrokeIsMissed(t *testing.T) {
	drain := func(line *scripted.Line) error {
		line.Welcome()
		line.Say(&cutpursev1.ConnectResponse{Draining: &cutpursev1.Draining{}})
		return line.Silence()
	}
	comeBackAndBreak := func(line *scripted.Line) error {
		line.Welcome()
		line.Say(&cutpursev1.ConnectResponse{Offers: []*cutpursev1.MatchOffered{scripted.Offer("m")}})
		return line.BreakOff(codes.Unavailable, "")
	}
	service := scripted.Serve(t, drain, comeBackAndBreak)

	_, err := run(t, first, quickly(service.Address, cutpurse.WithPatience(200*time.Millisecond))...)

	var unreachable *cutpurse.ServiceUnreachableError
	if !errors.As(err, &unreachable) {
		t.Fatalf("it should be missed: %v", err)
	}
	demand(t, "address", unreachable.Address, service.Address)
	if unreachable.Down < 200*time.Millisecond || errors.Unwrap(unreachable) == nil {
		t.Errorf("down for %s by %v", unreachable.Down, unreachable.Err)
	}
}

func TestPatienceBeginsAnewWithEveryStreamThatBroughtSomething(t *testing.T) {
	bringSomething := func(line *scripted.Line) error {
		line.Welcome()
		line.Say(&cutpursev1.ConnectResponse{Offers: []*cutpursev1.MatchOffered{scripted.Offer("m")}})
		time.Sleep(500 * time.Millisecond)
		return line.BreakOff(codes.Unavailable, "")
	}
	scripts := append(slices.Repeat([]scripted.Script{bringSomething}, 5), scripted.Finish)
	service := scripted.Serve(t, scripts...)
	service.Known = running("m")

	summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.WithPatience(2*time.Second))...)

	demand(t, "matches", summary.Matches, 1)
}

func TestAServiceThatDrainsAndStaysAwayIsAGoodEnd(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Welcome()
		line.Say(&cutpursev1.ConnectResponse{Draining: &cutpursev1.Draining{}})
		line.Expect(line.Hear() == nil, "the bot still says something")
		return nil
	})

	summary := play(t, first, quickly(service.Address, cutpurse.WithPatience(200*time.Millisecond))...)

	demand(t, "ending", summary.Ending, cutpurse.ServiceDrained)
}
