package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// Loops of one's own, and how bots stop.

func TestALoopOfOnesOwnReadsEventsAndAnswersWheneverItLikes(t *testing.T) {
	service := scripted.Serve(t, oneMatchThatGoesOn)
	client, err := cutpurse.Connect(quickly(service.Address)...)
	demand(t, "error", err, nil)
	defer client.Close()

	offer := next[*cutpursev1.MatchOffered](t, client)
	client.Ready(offer)
	decision := next[*cutpurse.Decision](t, client)
	demand(t, "open", client.IsOpen(decision), true)
	taken, err := client.Answer(decision, cutpurse.Index(2))
	var invalid *cutpurse.AnswerInvalidError
	demand(t, "an answer that is none", taken || !errors.As(err, &invalid) || !client.IsOpen(decision), false)
	taken, err = client.Answer(decision, cutpurse.Index(0))
	demand(t, "taken", fmt.Sprint(taken, err), "true <nil>")
	taken, err = client.Answer(decision, cutpurse.Index(1))
	demand(t, "taken again", fmt.Sprint(taken, err), "false <nil>")
	demand(t, "open", client.IsOpen(decision), false)

	// A context that is done ends the waiting and nothing else.
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = client.Next(short)
	demand(t, "after the time", errors.Is(err, context.DeadlineExceeded), true)
	demand(t, "ending", client.Ending(), "")
	// Somebody else says when to stop, here while we wait for what comes next.
	time.AfterFunc(50*time.Millisecond, client.Stop)
	_, err = client.Next(t.Context())
	demand(t, "the end", err, io.EOF)
	demand(t, "ending", client.Ending(), cutpurse.Stopped)
	demand(t, "accepted", client.Accepted(), 1)
	demand(t, "bot", client.Bot(), "scripted")
}

func oneMatchThatGoesOn(line *scripted.Line) error {
	line.Begin("m")
	line.Say(scripted.Decisions(scripted.Decision("m", 1)))
	line.Say(scripted.Accepted(line.HearChoice()))
	return line.Silence()
}

// next is the next event, which has to be of this kind.
func next[E any](t *testing.T, client *cutpurse.Client) E {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	event, err := client.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wanted, isWanted := event.(E)
	if !isWanted {
		t.Fatalf("the event is %v", event)
	}
	return wanted
}

func TestStopWaitsForTheReplyToWhatWasSaid(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		choice := line.HearChoice()
		stop()
		time.Sleep(100 * time.Millisecond)
		line.Say(scripted.Decisions(scripted.Decision("other", 1)))
		time.Sleep(100 * time.Millisecond)
		frame := scripted.Accepted(choice)
		frame.Decisions = append(frame.Decisions, scripted.Decision("m", 2))
		line.Say(frame)
		// What is asked after that is left to whoever takes the seat up again.
		line.Expect(line.Hear() == nil, "the bot still says something")
		return nil
	})

	summary, err := cutpurse.Run(ctx, first, quickly(service.Address)...)

	demand(t, "error", err, nil)
	demand(t, "decisions", summary.Decisions, 1)
	demand(t, "ending", summary.Ending, cutpurse.Stopped)
}

func TestAReplyThatNeverComesIsNotWaitedForForEver(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		line.HearChoice()
		stop()
		return line.Silence()
	})
	since := time.Now()

	summary, err := cutpurse.Run(ctx, first, quickly(service.Address)...)

	demand(t, "error", err, nil)
	demand(t, "decisions", summary.Decisions, 0)
	if took := time.Since(since); took < 2*time.Second || took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestRunLeavesAThoughtBehindThatDoesNotMindItsContext(t *testing.T) {
	service := scripted.Serve(t, func(line *scripted.Line) error {
		line.Begin("m")
		line.Say(scripted.Decisions(scripted.Decision("m", 1)))
		return line.Silence()
	})
	ctx, stop := context.WithCancel(t.Context())
	forever := make(chan struct{})
	defer close(forever)
	endless := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) {
		stop()
		<-forever
		return nil, errMistake
	}

	summary, err := cutpurse.Run(ctx, endless, quickly(service.Address)...)

	demand(t, "error", err, nil)
	demand(t, "ending", summary.Ending, cutpurse.Stopped)
}

func TestABotStopsWhileItDials(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	silent := scripted.Serve(t, func(line *scripted.Line) error {
		stop()
		return line.Silence()
	})
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for address, ctx := range map[string]context.Context{silent.Address: ctx, "unix:/nowhere": soon} {
		since := time.Now()

		summary, err := cutpurse.Run(ctx, first, quickly(address, cutpurse.WithPatience(time.Minute))...)

		demand(t, address, err, nil)
		demand(t, address, summary.Ending, cutpurse.Stopped)
		if time.Since(since) > 8*time.Second {
			t.Errorf("%s: it took %s", address, time.Since(since))
		}
	}
}

func TestCloseEndsEverythingAtOnce(t *testing.T) {
	service := scripted.Serve(t, oneMatchThatGoesOn)
	client, err := cutpurse.Connect(quickly(service.Address)...)
	demand(t, "error", err, nil)
	client.Ready(next[*cutpursev1.MatchOffered](t, client))
	decision := next[*cutpurse.Decision](t, client)
	_, err = client.Answer(decision, cutpurse.Index(0))
	demand(t, "error", err, nil)
	time.AfterFunc(50*time.Millisecond, func() { client.Close() })

	_, err = client.Next(t.Context())

	demand(t, "the end", err, io.EOF)
	demand(t, "closing again", client.Close(), nil)
}

func TestNobodyIsOutOfReachWhenThePatienceIsOver(t *testing.T) {
	_, err := run(t, first, quickly("unix:/nowhere", cutpurse.WithPatience(100*time.Millisecond))...)

	var unreachable *cutpurse.ServiceUnreachableError
	demand(t, "unreachable", errors.As(err, &unreachable), true)
}
