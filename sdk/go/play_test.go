package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// A bot at a scripted service: the way of a match, answers of every kind, what goes wrong in choose.

func TestABotGetsReadyDecidesAndLearnsTheResult(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		hello := line.Begin("m")
		line.Expect(line.Metadata.Get("authorization")[0] == "Bearer token", "who is it? %v", line.Metadata)
		line.Expect(hello.GetProtocolVersion() == 1 && hello.GetConcurrency() == 0, "Hello: %v", hello)
		line.Expect(!hello.GetWantsResolved() && !hello.GetWantsLegalActions(), "Hello: %v", hello)
		line.Expect(hello.GetSdk() == "cutpurse-sdk-go/"+cutpurse.Version, "Hello: %v", hello)
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		choice := line.HearChoice()
		line.Expect(choice.GetDecision() == 1 && choice.GetNotation() == "play GD", "the choice: %v", choice)
		line.Say(scripted.Ended(scripted.Accepted(choice), "m"))
		return line.Silence()
	})

	summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "bot", summary.Bot, "scripted")
	demand(t, "ending", summary.Ending, cutpurse.MatchesPlayed)
	demand(t, "matches, decisions, refused", fmt.Sprint(summary.Matches, summary.Decisions, summary.Refused), "1 1 0")
	demand(t, "places", fmt.Sprint(summary.Results[0].GetResult().GetPlacements()), "[1 2]")
}

func TestADecisionShowsTimeBankAndCorrections(t *testing.T) {
	corrections := uint32(2)
	message := scripted.Decision("m", 7)
	message.Seat, message.DecisionMsLeft, message.BankMsLeft, message.LastChargedMs = 1, 1500, 30_000, 12
	message.CorrectionsLeft = &corrections
	service := scripted.Serve(t, oneDecision(message))
	var seen *cutpurse.Decision
	look := func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		seen = decision
		return first(ctx, decision)
	}

	play(t, look, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decision", fmt.Sprint(seen), `decision 7 of match m (art_robbery, seat 1, legal ["play GD" "play BS"])`)
	demand(t, "players", seen.Players, 2)
	demand(t, "times", fmt.Sprint(seen.DecisionLeft, seen.BankLeft, seen.LastCharged), "1.5s 30s 12ms")
	demand(t, "heist", seen.View.GetArtRobbery().GetTable().GetHeist(), 1)
	demand(t, "warm-up", seen.Offer.GetWarmUpMsLeft(), 1000)
	left, limited := seen.CorrectionsLeft()
	demand(t, "corrections", fmt.Sprint(left, limited), "2 true")
	var unreadable *cutpurse.DecisionUnreadableError
	if _, err := seen.LegalActions(); !errors.As(err, &unreadable) {
		t.Errorf("typed actions that nobody asked for: %v", err)
	}
}

// oneDecision is a script of one match with one decision.
func oneDecision(decision *cutpursev1.Decision) scripted.Script {
	return func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(decision))
		line.Say(scripted.Ended(scripted.Accepted(line.HearChoice()), "m"))
		return line.Silence()
	}
}

func TestAnAnswerIsNotationIndexOrAction(t *testing.T) {
	play1 := &cutpursev1.ArtRobberyPlay{Card: cutpursev1.ArtRobberyCard_ART_ROBBERY_CARD_GUARD_DOG}
	dog := &cutpursev1.ArtRobberyAction{Action: &cutpursev1.ArtRobberyAction_Play{Play: play1}}
	wrapped := &cutpursev1.Action{Game: &cutpursev1.Action_ArtRobbery{ArtRobbery: dog}}
	for name, example := range map[string]struct {
		answer cutpurse.Answer
		wanted *cutpursev1.Choice
	}{
		"notation":    {cutpurse.Notation("play BS"), &cutpursev1.Choice{Answer: &cutpursev1.Choice_Notation{Notation: "play BS"}}},
		"index":       {cutpurse.Index(1), &cutpursev1.Choice{Answer: &cutpursev1.Choice_Index{Index: 1}}},
		"action":      {cutpurse.Action(wrapped), &cutpursev1.Choice{Answer: &cutpursev1.Choice_Action{Action: wrapped}}},
		"game action": {cutpurse.Action(dog), &cutpursev1.Choice{Answer: &cutpursev1.Choice_Action{Action: wrapped}}},
	} {
		t.Run(name, func(t *testing.T) {
			var said *cutpursev1.Choice
			service := scripted.Serve(t, func(line *scripted.Line) error {
				line.Begin("m")
				line.Say(scripted.Decisions(scripted.Decision("m", 1)))
				said = line.HearChoice()
				line.Say(scripted.Ended(scripted.Accepted(said), "m"))
				return line.Silence()
			})
			choose := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { return example.answer, nil }

			play(t, choose, quickly(service.Address, cutpurse.WithMatches(1))...)

			example.wanted.Match, example.wanted.Decision, example.wanted.RequestId = "m", 1, said.GetRequestId()
			if !proto.Equal(said, example.wanted) {
				t.Errorf("said %v, and it should be %v", said, example.wanted)
			}
		})
	}
}

func TestWhatIsNoAnswerEndsTheBotWithAClearError(t *testing.T) {
	var nobody *cutpursev1.Action
	for name, answer := range map[string]cutpurse.Answer{
		"nil":            nil,
		"index 2":        cutpurse.Index(2),
		"index -1":       cutpurse.Index(-1),
		"a *cutpursev1":  cutpurse.Action(&cutpursev1.Ready{Match: "m"}),
		"that is nil":    cutpurse.Action(nobody),
		"a <nil> is no ": cutpurse.Action(nil),
	} {
		t.Run(name, func(t *testing.T) {
			service := scripted.Serve(t, askedInVain)
			choose := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { return answer, nil }

			_, err := run(t, choose, quickly(service.Address)...)

			var invalid *cutpurse.AnswerInvalidError
			if !errors.As(err, &invalid) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "play GD") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// askedInVain is a script in which the bot goes in place of an answer.
func askedInVain(line *scripted.Line) error {
	line.Begin("m")
	line.Say(scripted.Decisions(scripted.Decision("m", 1)))
	line.Expect(line.Hear() == nil, "the bot answers")
	return nil
}

var errMistake = errors.New("the author's mistake")

func TestAnErrorOfChooseComesOutAsItIs(t *testing.T) {
	service := scripted.Serve(t, askedInVain)
	fail := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { return nil, errMistake }

	summary, err := run(t, fail, quickly(service.Address)...)

	var failed *cutpurse.ChoiceFailedError
	if !errors.Is(err, errMistake) || !errors.As(err, &failed) || failed.Decision.Number != 1 {
		t.Errorf("the error is %v", err)
	}
	demand(t, "bot", summary.Bot, "scripted")
	demand(t, "ending", summary.Ending, "")
}

func TestOnErrorAnswersWithTheFirstLegalAction(t *testing.T) {
	for name, choose := range map[string]cutpurse.Choose{
		"mistake": func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { return nil, errMistake },
		"panic":   func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { panic("a panic, and its stack") },
		"nil":     func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			service := scripted.Serve(t, func(line *scripted.Line) error {
				line.Begin("m")
				line.Say(scripted.Decisions(scripted.Decision("m", 1)))
				choice := line.HearChoice()
				_, isIndex := choice.GetAnswer().(*cutpursev1.Choice_Index)
				line.Expect(isIndex && choice.GetIndex() == 0, "the choice: %v", choice)
				line.Say(scripted.Ended(scripted.Accepted(choice), "m"))
				return line.Silence()
			})
			log := &written{}

			play(t, choose, quickly(service.Address,
				cutpurse.WithMatches(1), cutpurse.OnError(cutpurse.AnswerFirstLegal), cutpurse.WithLogger(log.logger()))...)

			if !strings.Contains(log.String(), name) || name == "panic" && !strings.Contains(log.String(), "play_test.go") {
				t.Errorf("logged: %s", log)
			}
		})
	}
}

func TestARefusedAnswerIsPutRightOnceWithANewRequestID(t *testing.T) {
	illegal := cutpursev1.ErrorReason_ERROR_REASON_CHOICE_ILLEGAL
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		one := line.HearChoice()
		line.Say(scripted.Refused(one, illegal))
		two := line.HearChoice()
		line.Expect(two.GetIndex() == 0 && two.GetNotation() == "", "the second answer: %v", two)
		line.Expect(string(two.GetRequestId()) != string(one.GetRequestId()), "it is another intent")
		// A service that refuses even that gets no third answer: the next frame is about the next decision.
		line.Say(scripted.Refused(two, illegal))
		line.Say(scripted.Decisions(scripted.Decision("m", 2)))
		three := line.HearChoice()
		line.Expect(three.GetDecision() == 2, "the third answer: %v", three)
		line.Say(scripted.Ended(scripted.Accepted(three), "m"))
		return line.Silence()
	})
	log := &written{}
	choose := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) {
		return cutpurse.Notation("play N9"), nil
	}

	summary := play(t, choose, quickly(service.Address, cutpurse.WithMatches(1), cutpurse.WithLogger(log.logger()))...)

	demand(t, "decisions, refused", fmt.Sprint(summary.Decisions, summary.Refused), "1 2")
	if !strings.Contains(log.String(), "CHOICE_ILLEGAL") || !strings.Contains(log.String(), "as scripted") {
		t.Errorf("logged: %s", log)
	}
}

func TestOnRefusedFailEndsWithWhatTheServiceSaid(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 7)))
		line.Say(scripted.Refused(line.HearChoice(), cutpursev1.ErrorReason_ERROR_REASON_TIME_OVER))
		line.Expect(line.Hear() == nil, "the bot answers")
		return nil
	})

	_, err := run(t, first, quickly(service.Address, cutpurse.OnRefused(cutpurse.Fail))...)

	var notTaken *cutpurse.ChoiceNotTakenError
	if !errors.As(err, &notTaken) || !strings.Contains(err.Error(), "match m, decision 7: TIME_OVER: as scripted") {
		t.Errorf("the error is %v", err)
	}
}

func TestAStaleDecisionIsNoFault(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		stale := cutpursev1.ErrorReason_ERROR_REASON_DECISION_STALE
		line.Say(scripted.Ended(scripted.Refused(line.HearChoice(), stale), "m"))
		return line.Silence()
	})
	log := &written{}

	summary := play(t, first, quickly(service.Address,
		cutpurse.WithMatches(1), cutpurse.OnRefused(cutpurse.Fail), cutpurse.WithLogger(log.logger()))...)

	demand(t, "decisions, refused", fmt.Sprint(summary.Decisions, summary.Refused), "0 0")
	if strings.Contains(log.String(), "WARN") {
		t.Errorf("logged: %s", log)
	}
}

func TestWhatTheServiceCouldNotWriteDownIsSaidAgainUnchanged(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		one := line.HearChoice()
		line.Say(scripted.Refused(one, cutpursev1.ErrorReason_ERROR_REASON_LOG_UNAVAILABLE))
		again := line.HearChoice()
		line.Expect(proto.Equal(one, again), "it changed: %v, %v", one, again)
		line.Say(scripted.Ended(scripted.Accepted(again), "m"))
		return line.Silence()
	})

	summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decisions, refused", fmt.Sprint(summary.Decisions, summary.Refused), "1 0")
}

func TestAServiceThatRefusesForGoodIsAskedOnce(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		return line.BreakOff(codes.Unauthenticated, "TOKEN_INVALID")
	})

	_, err := run(t, first, quickly(service.Address)...)

	var refused *cutpurse.ServiceRefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	demand(t, "code", refused.Code, codes.Unauthenticated)
	demand(t, "reason", refused.Reason, cutpursev1.ErrorReason_ERROR_REASON_TOKEN_INVALID)
	demand(t, "text", err.Error(), "cutpurse: the service refused (Unauthenticated, TOKEN_INVALID): as scripted")
}

func TestAnotherProtocolVersionAndAnotherServiceAreRefused(t *testing.T) {
	for wanted, welcome := range map[string]*cutpursev1.Welcome{
		"protocol version 2":           {ProtocolVersion: 2},
		"is it a Cutpurse service?":    nil,
		"protocol version 0, this SDK": {},
	} {
		service := scripted.Serve(t, func(line *scripted.Line) error {
			line.Hear()
			line.Say(&cutpursev1.ConnectResponse{Welcome: welcome})
			return line.Silence()
		})

		_, err := run(t, first, quickly(service.Address)...)

		var refused *cutpurse.ServiceRefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), wanted) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestASlowServiceIsWaitedForWithoutASecondAnswer(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		time.Sleep(200 * time.Millisecond)
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		choice := line.HearChoice()
		time.Sleep(300 * time.Millisecond)
		line.Say(scripted.Ended(scripted.Accepted(choice), "m"))
		line.Expect(line.Hear() == nil, "the bot still says something")
		return nil
	})

	summary := play(t, first, quickly(service.Address, cutpurse.WithMatches(1))...)

	demand(t, "decisions", summary.Decisions, 1)
}
