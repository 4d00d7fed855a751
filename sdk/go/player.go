package cutpurse

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// player carries decisions to choose and its answers back. Its fields belong to the goroutine that plays; the calls of the
// author's functions run in goroutines of their own, and touch nothing of it but the client.
type player struct {
	choose  Choose
	options *options
	client  *Client
	// Done when the end has come.
	context context.Context
	giveUp  context.CancelFunc
	// Holds one element for each call that runs; nil without a bound.
	turns chan struct{}
	calls sync.WaitGroup
	seats map[string]*seat
	// By match, the decision in which the first legal action was sent already in place of a refused one.
	defaulted map[string]int
	matches   int
	refused   int
	results   []*cutpursev1.MatchEnded
}

// seat is where the calls for one match wait for each other.
type seat struct {
	context context.Context
	leave   context.CancelFunc
	// Holds one element while a call runs.
	turn chan struct{}
	// Ends the context of the latest call of choose.
	giveUp context.CancelFunc
}

func newPlayer(choose Choose, given *options, client *Client) *player {
	p := &player{choose: choose, options: given, client: client, seats: map[string]*seat{}, defaulted: map[string]int{}}
	p.context, p.giveUp = context.WithCancel(context.Background())
	if given.concurrency > 0 {
		p.turns = make(chan struct{}, given.concurrency)
	}
	return p
}

// prepare warms up for a match and says that the bot is ready.
func (p *player) prepare(offer *cutpursev1.MatchOffered) {
	seat := &seat{turn: make(chan struct{}, 1), giveUp: func() {}}
	seat.context, seat.leave = context.WithCancel(p.context)
	p.seats[offer.GetMatch()] = seat
	if p.options.onMatch == nil {
		p.client.Ready(offer)
		return
	}
	// Taken here already, so that a decision that is open since before a restart waits for the warm-up.
	seat.turn <- struct{}{}
	p.call(seat.context, seat, func(ctx context.Context) {
		err := p.options.onMatch(ctx, offer)
		switch {
		case ctx.Err() != nil:
			// Nobody needs it any more.
		case err != nil:
			p.client.stop("", fmt.Errorf("cutpurse: warming up for match %s: %w", offer.GetMatch(), err))
		default:
			p.client.Ready(offer)
		}
	})
}

// decide asks choose; what it was thinking about the match before is out of date.
func (p *player) decide(decision *Decision) {
	seat := p.seats[decision.Match]
	seat.giveUp()
	thinking, giveUp := context.WithCancel(seat.context)
	seat.giveUp = giveUp
	p.calls.Add(1)
	go func() {
		defer p.calls.Done()
		select {
		case seat.turn <- struct{}{}:
		case <-thinking.Done():
			return
		}
		p.run(thinking, seat, func(ctx context.Context) { p.think(ctx, decision) })
		giveUp()
	}()
}

// call runs one of the author's functions in a goroutine of its own. The seat's turn is taken already.
func (p *player) call(ctx context.Context, seat *seat, function func(context.Context)) {
	p.calls.Add(1)
	go func() {
		defer p.calls.Done()
		p.run(ctx, seat, function)
	}()
}

// run runs one of the author's functions, when there is a turn for it, and gives the turns back.
func (p *player) run(ctx context.Context, seat *seat, function func(context.Context)) {
	defer func() { <-seat.turn }()
	if p.turns != nil {
		select {
		case p.turns <- struct{}{}:
			defer func() { <-p.turns }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() == nil {
		function(ctx)
	}
}

// think asks choose and answers.
func (p *player) think(ctx context.Context, decision *Decision) {
	answer, err := p.ask(ctx, decision)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		err = &ChoiceFailedError{Decision: decision, Err: err}
	} else {
		_, err = p.client.Answer(decision, answer)
	}
	switch {
	case err == nil:
	case p.options.onError == AnswerFirstLegal:
		p.options.log.Error("answering with the first legal action instead", "error", err)
		p.answerFirstLegal(decision)
	default:
		p.client.stop("", err)
	}
}

// ask calls choose. With OnError(AnswerFirstLegal) a panic counts as an error.
func (p *player) ask(ctx context.Context, decision *Decision) (answer Answer, err error) {
	if p.options.onError == AnswerFirstLegal {
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
			}
		}()
	}
	return p.choose(ctx, decision)
}

func (p *player) answerFirstLegal(decision *Decision) {
	if _, err := p.client.Answer(decision, Index(0)); err != nil {
		p.client.stop("", err)
	}
}

// leave ends what is being thought about a match.
func (p *player) leave(match string) {
	if seat := p.seats[match]; seat != nil {
		seat.leave()
		delete(p.seats, match)
	}
}
