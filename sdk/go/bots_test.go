package cutpurse_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
)

// What tests share: bots, and how they are run.

// first is a bot: the first legal action.
func first(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	return cutpurse.Notation(decision.Legal[0]), nil
}

// byLot is a bot: any legal action.
func byLot(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	return cutpurse.Index(decision.Random.IntN(len(decision.Legal))), nil
}

// counted is a bot that plays the first legal action and remembers what it was asked.
type counted struct {
	mutex sync.Mutex
	asked []int
}

func (c *counted) choose(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.asked = append(c.asked, decision.Number)
	return first(ctx, decision)
}

// written is a logger and what it wrote.
type written struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (w *written) Write(line []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.Write(line)
}

func (w *written) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.String()
}

func (w *written) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// quickly are options for quick tests.
func quickly(address string, more ...cutpurse.Option) []cutpurse.Option {
	common := []cutpurse.Option{
		cutpurse.WithAddress(address),
		cutpurse.WithToken("token"),
		cutpurse.WithBackoff(cutpurse.Backoff{First: 10 * time.Millisecond, Factor: 2, Longest: 50 * time.Millisecond}),
		cutpurse.WithPatience(5 * time.Second),
		cutpurse.WithLogger(slog.New(slog.DiscardHandler)),
	}
	return append(common, more...)
}

// play runs a bot that has to come to an end by itself, without an error.
func play(t *testing.T, choose cutpurse.Choose, opts ...cutpurse.Option) cutpurse.Summary {
	t.Helper()
	summary, err := run(t, choose, opts...)
	if err != nil {
		t.Fatalf("the bot ended with %v", err)
	}
	return summary
}

// run does the same for a bot that may end with an error.
func run(t *testing.T, choose cutpurse.Choose, opts ...cutpurse.Option) (cutpurse.Summary, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	summary, err := cutpurse.Run(ctx, choose, opts...)
	if ctx.Err() != nil {
		t.Error("the bot did not come to an end by itself")
	}
	return summary, err
}

// demand fails the test at once unless two things are the same.
func demand[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%s: %v, and it should be %v", what, got, wanted)
	}
}
