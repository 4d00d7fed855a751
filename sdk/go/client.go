package cutpurse

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

const (
	// How long a bot that stops waits for the replies to what it has said, and a drained stream for its end.
	grace = 2 * time.Second
	// A stream that lasted so long, or brought anything after Welcome, was a success: the patience begins anew.
	steady = 5 * time.Second
)

// Ending is why a bot came to its end without an error.
type Ending string

const (
	// Stopped means that the bot was told to stop.
	Stopped Ending = "stopped"
	// MatchesPlayed means that as many matches as were asked for are over.
	MatchesPlayed Ending = "matches played"
	// ServiceDrained means that the service said that it stops, and did not come back.
	ServiceDrained Ending = "service drained"
)

// Client is a bot's connection, for loops of one's own. A stream that breaks is dialled anew; no answer takes effect twice.
//
// Next is for one goroutine at a time; everything else may be called from any goroutine at any time.
type Client struct {
	settings *settings
	hello    *cutpursev1.Hello
	patience time.Duration
	backoff  Backoff
	log      *slog.Logger
	// Closed by Stop.
	stopping chan struct{}

	mutex sync.Mutex // Guards everything below.

	session *session
	inbox   []Event
	stream  *stream
	// Interrupts the dialling that is under way.
	stopDialling context.CancelFunc
	stopped      bool
	failure      error
	ending       Ending
	bot          string
	attempt      int
	// Zero while a stream is well.
	downSince  time.Time
	drained    bool
	postponing bool
	// Of the current stream.
	timers []*time.Timer
}

// Connect makes a client. It dials in with the first call of Next. It returns a [SettingsInvalidError] for options that cannot
// be used. Options that are for [Run] have no effect.
func Connect(opts ...Option) (*Client, error) {
	given := gather(opts)
	if err := given.check(); err != nil {
		return nil, err
	}
	return newClient(given)
}

func newClient(given *options) (*Client, error) {
	resolved, err := resolveSettings(given)
	if err != nil {
		return nil, err
	}
	return &Client{
		settings: resolved,
		hello: &cutpursev1.Hello{
			ProtocolVersion:   ProtocolVersion,
			Bot:               given.bot,
			Sdk:               "cutpurse-sdk-go/" + Version,
			WantsLegalActions: given.legalActions,
			WantsResolved:     given.news,
		},
		patience: given.patience,
		backoff:  given.backoff,
		log:      given.log,
		stopping: make(chan struct{}),
		session:  newSession(newRandomness(resolved.seed), given.log),
	}, nil
}

// Next waits for the next event. It returns io.EOF at the end, and [Client.Ending] says why; a [ServiceRefusedError] or a
// [ServiceUnreachableError] when the service cannot be had; and the context's error when that is done, after which Next may be
// called again.
func (c *Client) Next(ctx context.Context) (Event, error) {
	for {
		c.mutex.Lock()
		event, isReady, isOver := c.take()
		stream := c.stream
		c.mutex.Unlock()
		var err error
		switch {
		case isReady:
			return event, nil
		case isOver:
			return nil, c.finish()
		case ctx.Err() != nil:
			err = ctx.Err()
		case stream == nil:
			err = c.dial(ctx)
		default:
			err = c.receive(ctx, stream)
		}
		if err != nil {
			return nil, err
		}
	}
}

// take is what Next has at once, or whether the end has come.
func (c *Client) take() (event Event, isReady, isOver bool) {
	if c.stopped || c.ending != "" && len(c.inbox) == 0 {
		return nil, false, true
	}
	if len(c.inbox) == 0 {
		return nil, false, false
	}
	event, c.inbox = c.inbox[0], c.inbox[1:]
	return event, true, false
}

// Ready says that the bot is ready for a match.
func (c *Client) Ready(offer *cutpursev1.MatchOffered) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.session.ready(offer.GetMatch())
	c.wake()
}

// Answer answers a decision. It returns at once; what is answered while a frame is being written goes into the next one together.
//
// It returns false if the decision is over or has an answer, which is no error, and an [AnswerInvalidError] for what is no answer.
func (c *Client) Answer(decision *Decision, answer Answer) (bool, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken, err := c.session.answer(decision, answer)
	c.wake()
	return taken, err
}

// IsOpen tells whether a decision still waits for an answer.
func (c *Client) IsOpen(decision *Decision) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.session.isOpen(decision)
}

// Accepted is how many of the bot's choices are in the log.
func (c *Client) Accepted() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.session.accepted
}

// Bot is the bot's name as the service knows it; empty before Welcome.
func (c *Client) Bot() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.bot
}

// Ending is why Next returned io.EOF; empty before.
func (c *Client) Ending() Ending {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.ending
}

// Stop lets Next come to its end. What was said is brought home first, for two seconds at most.
func (c *Client) Stop() { c.stop(Stopped, nil) }

// Close ends the stream at once and frees everything. Next returns io.EOF afterwards. It returns nil.
func (c *Client) Close() error {
	c.stop(Stopped, nil)
	c.hangUp()
	return nil
}

// stop lets Next come to its end: with io.EOF after bringing home what was said, or at once with a failure. The first one counts.
func (c *Client) stop(ending Ending, failure error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ending == "" && c.failure == nil {
		c.ending, c.failure = ending, failure
	}
	if !c.stopped {
		c.stopped = true
		close(c.stopping)
	}
	if c.stopDialling != nil {
		c.stopDialling()
	}
	c.letGo()
}

// letGo ends the stream of a client that has been stopped, or gives it a little time for replies. Called with the mutex.
func (c *Client) letGo() {
	switch {
	case c.stream == nil:
	case c.failure != nil || c.session.owed == 0:
		c.stream.cancel()
	default:
		c.later(grace, c.stream.cancel)
	}
}

// wake tells the stream that there may be something to say. Called with the mutex.
func (c *Client) wake() {
	if c.stream != nil && c.session.hasSomethingToSay() {
		c.stream.wake()
	}
}

// later does something after a pause, unless the stream has ended by then. Called with the mutex.
func (c *Client) later(pause time.Duration, action func()) {
	c.timers = append(c.timers, time.AfterFunc(pause, action))
}

// hangUp ends the stream and forgets it.
func (c *Client) hangUp() {
	c.mutex.Lock()
	stream := c.stream
	c.stream = nil
	for _, timer := range c.timers {
		timer.Stop()
	}
	c.timers = nil
	c.postponing = false
	c.mutex.Unlock()
	if stream != nil {
		// Without the mutex, which the stream's writer may be waiting for.
		stream.close()
	}
}

// receive takes in the next frame, or mends what keeps it away.
func (c *Client) receive(ctx context.Context, stream *stream) error {
	c.mutex.Lock()
	if c.session.draining && !c.session.isBusy() {
		stream.halfClose()
	}
	c.mutex.Unlock()
	select {
	case frame, isOpen := <-stream.frames:
		if !isOpen {
			return c.lost(stream)
		}
		c.takeIn(stream, frame)
		return nil
	case <-c.stopping:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// takeIn hands a frame to the session.
func (c *Client) takeIn(stream *stream, frame *cutpursev1.ConnectResponse) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	wasDraining := c.session.draining
	c.inbox = append(c.inbox, c.session.receive(frame)...)
	if len(c.session.postponed) > 0 && !c.postponing {
		c.postponing = true
		tries := 0
		for _, intent := range c.session.postponed {
			tries = max(tries, intent.retries)
		}
		c.later(c.backoff.Pause(3+tries), func() { c.sayAgain(stream) })
	}
	switch {
	case !c.session.draining:
		c.attempt, c.downSince, c.drained = 0, time.Time{}, false
	case !wasDraining:
		c.log.Info("the service is going to stop")
		c.drained = true
		c.later(grace, stream.cancel)
	}
}

func (c *Client) sayAgain(stream *stream) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.stream == stream {
		c.postponing = false
		c.session.sendPostponed()
		c.wake()
	}
}

// finish waits for the replies to what was said, then ends the stream. It returns what Next returns at the end.
func (c *Client) finish() error {
	for {
		c.mutex.Lock()
		stream := c.stream
		isWaiting := stream != nil && c.session.owed > 0 && c.failure == nil
		c.mutex.Unlock()
		if !isWaiting {
			break
		}
		// A frame counts for its replies alone; a stream that breaks now is not mended.
		frame, isOpen := <-stream.frames
		if !isOpen {
			break
		}
		c.mutex.Lock()
		c.session.receive(frame)
		c.mutex.Unlock()
	}
	c.hangUp()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.failure != nil {
		return c.failure
	}
	return io.EOF
}

var errStreamEnded = errors.New("the service ended the stream")
