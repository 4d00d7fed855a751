package cutpurse

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// Frames: how much goes into one, and in which order.

// asked is a session with one open decision in each of so many matches.
func asked(matches int) (*session, []*Decision) {
	session := newSession(randomness{}, slog.New(slog.DiscardHandler))
	frame := &cutpursev1.ConnectResponse{}
	for number := range matches {
		match := fmt.Sprintf("match-%d", number)
		frame.Offers = append(frame.Offers, scripted.Offer(match))
		frame.Decisions = append(frame.Decisions, scripted.Decision(match, 1))
	}
	var decisions []*Decision
	for _, event := range session.receive(frame) {
		if decision, isDecision := event.(*Decision); isDecision {
			decisions = append(decisions, decision)
		}
	}
	return session, decisions
}

func answerAll(t *testing.T, session *session, decisions []*Decision, answer Answer) {
	t.Helper()
	for _, decision := range decisions {
		if taken, err := session.answer(decision, answer); !taken || err != nil {
			t.Fatal(taken, err)
		}
	}
}

func framesOf(session *session) []*cutpursev1.ConnectRequest {
	var frames []*cutpursev1.ConnectRequest
	for frame := session.nextFrame(); frame != nil; frame = session.nextFrame() {
		frames = append(frames, frame)
	}
	return frames
}

func TestAFrameHoldsAtMostSoManyChoicesAndReadies(t *testing.T) {
	session, decisions := asked(choicesPerFrameMax + 1)
	answerAll(t, session, decisions, Index(0))
	for _, decision := range decisions {
		session.ready(decision.Match)
	}

	frames := framesOf(session)

	if len(frames) != 2 {
		t.Fatalf("%d frames", len(frames))
	}
	for i, wanted := range []int{256, 1} {
		if choices, readies := len(frames[i].GetChoices()), len(frames[i].GetReadies()); choices != wanted || readies != wanted {
			t.Errorf("frame %d has %d choices and %d readies", i, choices, readies)
		}
	}
}

func TestAFrameIsNoLargerThanTheServiceReads(t *testing.T) {
	for _, bytesMax := range []int{frameBytesMax, 5000} {
		session, decisions := asked(200)
		session.frameBytesMax = bytesMax
		answerAll(t, session, decisions, Notation(strings.Repeat("x", 1000)))

		frames := framesOf(session)

		said := 0
		for _, frame := range frames {
			if size := proto.Size(frame); size > bytesMax {
				t.Errorf("a frame of %d bytes", size)
			}
			for _, choice := range frame.GetChoices() {
				if choice.GetMatch() != decisions[said].Match {
					t.Errorf("%s comes before its turn", choice.GetMatch())
				}
				said++
			}
		}
		if len(frames) < 2 || said != 200 {
			t.Errorf("%d choices in %d frames", said, len(frames))
		}
	}
}

func TestAnAnswerLargerThanAFrameIsSentForTheServiceToRefuse(t *testing.T) {
	session, decisions := asked(2)
	session.frameBytesMax = 100
	answerAll(t, session, decisions, Notation(strings.Repeat("x", 1000)))

	frames := framesOf(session)

	if len(frames) != 2 || len(frames[0].GetChoices()) != 1 {
		t.Errorf("%d frames", len(frames))
	}
}

func TestRequestIDsOfTwoProcessesDiffer(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		session, decisions := asked(3)
		answerAll(t, session, decisions, Index(0))
		for _, choice := range framesOf(session)[0].GetChoices() {
			ids[string(choice.GetRequestId())] = true
		}
	}

	if len(ids) != 6 {
		t.Errorf("%d ids of 6 answers", len(ids))
	}
}

func TestAnAnswerThatWasNotEvenSentIsSentOnceOnTheNextStream(t *testing.T) {
	session, decisions := asked(1)
	answerAll(t, session, decisions, Index(0))

	session.beginStream()

	frames := framesOf(session)
	if len(frames) != 1 || len(frames[0].GetChoices()) != 1 {
		t.Errorf("frames: %v", frames)
	}
}

func TestNothingIsOwedForADecisionThatTheNextOneOvertook(t *testing.T) {
	session, decisions := asked(1)
	answerAll(t, session, decisions, Index(0))
	if session.owed != 1 {
		t.Fatalf("owed: %d", session.owed)
	}

	session.receive(scripted.Decisions(scripted.Decision("match-0", 2)))

	session.beginStream()
	if session.owed != 0 || framesOf(session) != nil {
		t.Errorf("owed: %d", session.owed)
	}
}

func TestAnAnswerIsGivenUpAfterAHundredRetries(t *testing.T) {
	session, decisions := asked(1)
	answerAll(t, session, decisions, Index(0))
	choice := framesOf(session)[0].GetChoices()[0]
	refused := scripted.Refused(choice, cutpursev1.ErrorReason_ERROR_REASON_RATE_LIMITED)

	for range retriesMax {
		if events := session.receive(refused); len(events) > 0 || len(session.postponed) != 1 {
			t.Fatalf("given up too early: %v", events)
		}
		session.sendPostponed()
		again := framesOf(session)[0].GetChoices()[0]
		if !bytes.Equal(again.GetRequestId(), choice.GetRequestId()) {
			t.Fatal("another request id")
		}
	}

	events := session.receive(refused)
	if refusal, isRefusal := events[0].(*Refusal); !isRefusal || refusal.Correctable || session.owed != 0 {
		t.Errorf("events: %v, owed: %d", events, session.owed)
	}
}

func TestPausesGrowToABoundAndAreNeverTheSame(t *testing.T) {
	backoff := Backoff{First: 100 * time.Millisecond, Factor: 2, Longest: time.Second}
	for attempt, longest := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 4: 800 * time.Millisecond, 9: time.Second, 10_000: time.Second,
	} {
		least, most := longest, time.Duration(0)
		for range 50 {
			pause := backoff.Pause(attempt)
			least, most = min(least, pause), max(most, pause)
		}
		if least < longest/2 || least >= most || most > longest {
			t.Errorf("attempt %d: from %s to %s", attempt, least, most)
		}
	}
}

func TestChanceDependsOnSeedMatchSeatAndDecisionAlone(t *testing.T) {
	seed, other := "seed", "other"
	draw := func(seed *string, match string, seat, number uint32) uint64 {
		return newRandomness(seed).source(match, seat, number).Uint64()
	}
	drawn := draw(&seed, "m", 0, 1)
	if drawn != draw(&seed, "m", 0, 1) {
		t.Error("not repeatable")
	}
	// Written down once, so that a bot plays on as before with the next version of the SDK.
	if drawn != 980777584103499987 {
		t.Errorf("the first draw is %d", drawn)
	}
	seen := map[uint64]bool{drawn: true}
	for _, each := range []uint64{
		draw(&other, "m", 0, 1), draw(&seed, "n", 0, 1), draw(&seed, "m", 1, 1), draw(&seed, "m", 0, 2),
		draw(nil, "m", 0, 1), draw(nil, "m", 0, 1),
	} {
		if seen[each] {
			t.Errorf("%d was drawn before", each)
		}
		seen[each] = true
	}
}
