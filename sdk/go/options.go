package cutpurse

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Option says how to play. Everything may be left out.
type Option func(*options)

// Reaction is what happens when something went wrong in one decision.
type Reaction int

const (
	// AnswerFirstLegal logs it and, once in a decision, answers with the first legal action.
	AnswerFirstLegal Reaction = iota
	// Fail ends the bot with the error.
	Fail
)

type options struct {
	address, token, ca, bot string
	seed                    *string
	matches                 int
	matchesGiven            bool
	concurrency             int
	legalActions            bool
	onMatch                 func(context.Context, *cutpursev1.MatchOffered) error
	onNews                  func(*cutpursev1.MatchNews)
	onEnded                 func(*cutpursev1.MatchEnded)
	onRefused, onError      Reaction
	news                    bool
	patience                time.Duration
	backoff                 Backoff
	log                     *slog.Logger
	environment             func(string) string
}

func gather(opts []Option) *options {
	gathered := &options{
		onRefused:   AnswerFirstLegal,
		onError:     Fail,
		patience:    time.Minute,
		backoff:     DefaultBackoff(),
		log:         slog.Default(),
		environment: os.Getenv,
	}
	for _, option := range opts {
		option(gathered)
	}
	return gathered
}

// check refuses options that mean nothing.
func (o *options) check() error {
	switch {
	case o.matchesGiven && o.matches < 1:
		return invalid("WithMatches(%d): at least 1, or leave it out for no end", o.matches)
	case o.concurrency < 0:
		return invalid("WithConcurrency(%d): at least 1, or 0 for no bound", o.concurrency)
	case o.backoff.First <= 0 || o.backoff.Factor < 1 || o.backoff.Longest < o.backoff.First:
		return invalid("WithBackoff(%+v): pauses above 0 that do not become shorter", o.backoff)
	case o.onRefused != AnswerFirstLegal && o.onRefused != Fail:
		return invalid("OnRefused(%d): AnswerFirstLegal or Fail", o.onRefused)
	case o.onError != AnswerFirstLegal && o.onError != Fail:
		return invalid("OnError(%d): AnswerFirstLegal or Fail", o.onError)
	}
	return nil
}

// WithAddress says where the service is: host:port or unix:/path; else CUTPURSE_ADDRESS.
func WithAddress(address string) Option { return func(o *options) { o.address = address } }

// WithToken says who the bot is; else CUTPURSE_TOKEN. Whoever reads it can play in its name.
func WithToken(token string) Option { return func(o *options) { o.token = token } }

// WithCA names the file with the service's certificate authority, PEM; else CUTPURSE_CA. Without one the SDK speaks only to
// its own machine.
func WithCA(path string) Option { return func(o *options) { o.ca = path } }

// WithSeed makes Decision.Random repeatable; else CUTPURSE_SEED; else every process plays differently.
func WithSeed(seed string) Option { return func(o *options) { o.seed = &seed } }

// WithBot names the bot as it is registered; left out, the token says it.
func WithBot(name string) Option { return func(o *options) { o.bot = name } }

// WithMatches ends [Run] after so many matches, at least 1; left out: never.
func WithMatches(matches int) Option {
	return func(o *options) { o.matches, o.matchesGiven = matches, true }
}

// WithConcurrency bounds how many calls of choose and of [OnMatch] run at once, over all matches. 1 means that choose needs no
// locks, and that a match waits while the bot thinks about another, with its clock running. Left out, or 0: no bound.
func WithConcurrency(calls int) Option { return func(o *options) { o.concurrency = calls } }

// WithLegalActions asks for Decision.LegalActions.
func WithLegalActions() Option { return func(o *options) { o.legalActions = true } }

// WithNews asks for what everybody may know, as it happens, in a loop of one's own; [OnNews] does it for [Run].
func WithNews() Option { return func(o *options) { o.news = true } }

// WithPatience says how long the service may be out of reach before [ServiceUnreachableError]; default one minute.
func WithPatience(patience time.Duration) Option { return func(o *options) { o.patience = patience } }

// WithBackoff sets the pauses between attempts to reach the service.
func WithBackoff(backoff Backoff) Option { return func(o *options) { o.backoff = backoff } }

// WithLogger sets where the SDK writes about broken connections and refused answers; default, and for nil,
// slog.Default().
func WithLogger(log *slog.Logger) Option {
	return func(o *options) {
		if log != nil {
			o.log = log
		}
	}
}

// OnMatch is called by [Run] once for every match before the bot says that it is ready: to warm up, outside the clock. Its
// context is done when the match ends before. An error ends the bot.
func OnMatch(warmUp func(context.Context, *cutpursev1.MatchOffered) error) Option {
	return func(o *options) { o.onMatch = warmUp }
}

// OnNews is called by [Run] with what everybody may know, as it happens; it is asked for only if this is given. Calls of OnNews
// and [OnEnded] come one at a time and hold up everything else, so they should be quick.
func OnNews(hear func(*cutpursev1.MatchNews)) Option {
	return func(o *options) { o.onNews, o.news = hear, hear != nil }
}

// OnEnded is called by [Run] when a match is over.
func OnEnded(hear func(*cutpursev1.MatchEnded)) Option { return func(o *options) { o.onEnded = hear } }

// OnRefused says what [Run] does about a choice that the service did not take; default [AnswerFirstLegal].
func OnRefused(reaction Reaction) Option { return func(o *options) { o.onRefused = reaction } }

// OnError says what [Run] does about an error that choose returns; default [Fail]. With [AnswerFirstLegal] a panic in choose
// counts as an error, too, and is logged with its stack; otherwise it ends the program as every panic does.
func OnError(reaction Reaction) Option { return func(o *options) { o.onError = reaction } }
