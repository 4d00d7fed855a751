package cutpurse

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"google.golang.org/grpc/status"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// dial opens a stream, after a little pause unless it is the first attempt; gives up when the patience is over.
func (c *Client) dial(ctx context.Context) error {
	c.mutex.Lock()
	if c.downSince.IsZero() {
		c.downSince = time.Now()
	}
	c.attempt++
	pause := time.Duration(0)
	if c.attempt > 1 || c.drained {
		pause = c.backoff.Pause(c.attempt)
	}
	c.mutex.Unlock()
	if pause > 0 && !c.pause(ctx, pause) {
		return ctx.Err()
	}
	dialling, cancel := context.WithTimeout(ctx, welcomeWait)
	defer cancel()
	c.mutex.Lock()
	if c.stopped {
		c.mutex.Unlock()
		return nil
	}
	c.stopDialling = cancel
	c.mutex.Unlock()
	stream, frame, err := dial(dialling, c.settings, c.hello, c.log)
	c.mutex.Lock()
	c.stopDialling = nil
	isStopped := c.stopped
	c.mutex.Unlock()
	switch {
	case err == nil:
		c.begin(stream, frame)
		return nil
	case isStopped:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return c.judge(err)
}

// pause waits; false if told to stop, or if the context is done.
func (c *Client) pause(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.stopping:
	case <-ctx.Done():
	}
	return false
}

// begin goes on where the last stream broke off.
func (c *Client) begin(stream *stream, frame *cutpursev1.ConnectResponse) {
	welcome := frame.GetWelcome()
	c.log.Debug("connected", "service", welcome.GetServer(), "address", c.settings.address, "bot", welcome.GetBot())
	c.mutex.Lock()
	c.bot = welcome.GetBot()
	c.stream = stream
	c.session.beginStream()
	running := c.session.running()
	if c.stopped {
		// It came too late to be noticed by stop.
		c.letGo()
	}
	c.mutex.Unlock()

	ends := stream.endsOf(running)

	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.stream != stream {
		// Closed meanwhile.
		return
	}
	if size := welcome.GetFrameBytesMax(); size > 0 {
		c.session.frameBytesMax = int(size)
	}
	frame.Ended = append(frame.Ended, ends...)
	c.inbox = append(c.inbox, c.session.receive(frame)...)
	stream.startWriting(c.nextFrame)
}

// nextFrame is what the stream's writer asks for.
func (c *Client) nextFrame() *cutpursev1.ConnectRequest {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.session.nextFrame()
}

// lost is called when the stream is over. It returns what will not pass.
func (c *Client) lost(stream *stream) error {
	c.mutex.Lock()
	if time.Since(stream.since) > steady && !c.session.draining {
		c.attempt, c.downSince = 0, time.Time{}
	}
	isExpected := c.stopped || c.session.draining
	c.mutex.Unlock()
	c.hangUp()
	if isExpected {
		return nil
	}
	if stream.err != nil {
		return c.judge(stream.err)
	}
	return c.judge(errStreamEnded)
}

// judge tells what a failed attempt or a broken stream means: an error, or the end, or to try again.
func (c *Client) judge(err error) error {
	var refused *ServiceRefusedError
	var unusable *SettingsInvalidError
	if errors.As(err, &refused) || errors.As(err, &unusable) {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	down := time.Duration(0)
	if !c.downSince.IsZero() {
		down = time.Since(c.downSince)
	}
	switch {
	case down < c.patience:
		level := slog.LevelDebug
		if c.attempt <= 1 {
			level = slog.LevelWarn
		}
		c.log.Log(context.Background(), level, "no stream, dialling in again", "error", messageOf(err))
	case c.drained:
		c.ending = ServiceDrained
	default:
		return &ServiceUnreachableError{Address: c.settings.address, Down: down, Err: err}
	}
	return nil
}

// messageOf is an error's text without what gRPC puts before it.
func messageOf(err error) string {
	if failed, isStatus := status.FromError(err); isStatus {
		return failed.Code().String() + ": " + failed.Message()
	}
	return err.Error()
}
