package cutpurse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

const (
	// How long the service may take to answer Hello.
	welcomeWait = 10 * time.Second
	// How long it may take to say whether a match is over.
	askWait = 5 * time.Second
)

var errEndedBeforeWelcome = errors.New("the service ended the stream before Welcome")

// stream is one open stream to the service. Made by dial, ended by close.
//
// One goroutine reads and one writes: a bot that reads while it writes can never wait for a service that waits for the bot.
// Answers given until the writer's turn comes share a frame.
type stream struct {
	log        *slog.Logger
	connection *grpc.ClientConn
	call       grpc.BidiStreamingClient[cutpursev1.ConnectRequest, cutpursev1.ConnectResponse]
	// Ends with cancel, which ends the call at once.
	context context.Context
	cancel  context.CancelFunc
	since   time.Time
	// Closed at the end of the stream; err says why from then on, and is nil for an end in good order or by cancel.
	frames chan *cutpursev1.ConnectResponse
	err    error
	// Holds one element while there may be something to say.
	woken chan struct{}
	// Closed when nothing more will be said.
	halfClosed chan struct{}
	halfClose  func()
	goroutines sync.WaitGroup
}

// dial dials in and waits for Welcome. It returns the stream and its first frame; a ServiceRefusedError for what will not pass.
func dial(ctx context.Context, settings *settings, hello *cutpursev1.Hello, log *slog.Logger) (*stream, *cutpursev1.ConnectResponse, error) {
	connection, err := settings.open()
	if err != nil {
		return nil, nil, &SettingsInvalidError{Text: err.Error(), Err: err}
	}
	// The call outlives the dialling, so its context is not ctx.
	call, cancel := context.WithCancel(context.Background())
	stopWaiting := context.AfterFunc(ctx, cancel)
	s := &stream{
		log:        log,
		connection: connection,
		cancel:     cancel,
		context:    call,
		frames:     make(chan *cutpursev1.ConnectResponse),
		woken:      make(chan struct{}, 1),
		halfClosed: make(chan struct{}),
	}
	s.halfClose = sync.OnceFunc(func() { close(s.halfClosed) })
	frame, err := s.greet(call, hello)
	if err == nil && !stopWaiting() {
		err = ctx.Err()
	}
	if err != nil {
		s.close()
		// A call that was cancelled because its time was over says only that it was cancelled.
		if ctx.Err() != nil {
			err = status.FromContextError(ctx.Err()).Err()
		}
		return nil, nil, err
	}
	s.since = time.Now()
	s.goroutines.Add(1)
	go s.read()
	return s, frame, nil
}

// greet says Hello and hears Welcome.
func (s *stream) greet(ctx context.Context, hello *cutpursev1.Hello) (*cutpursev1.ConnectResponse, error) {
	call, err := cutpursev1.NewBotServiceClient(s.connection).Connect(ctx)
	if err != nil {
		return nil, meaningOf(err, nil)
	}
	s.call = call
	// What fails here is told by reading, with its reason.
	if err := call.Send(&cutpursev1.ConnectRequest{Hello: hello}); err != nil && !errors.Is(err, io.EOF) {
		return nil, meaningOf(err, call)
	}
	frame, err := call.Recv()
	if errors.Is(err, io.EOF) {
		return nil, errEndedBeforeWelcome
	}
	if err != nil {
		return nil, meaningOf(err, call)
	}
	return frame, checkWelcome(frame)
}

// checkWelcome demands that the service speaks our version.
func checkWelcome(frame *cutpursev1.ConnectResponse) error {
	if frame.GetWelcome() == nil {
		return &ServiceRefusedError{
			Code:   codes.Unknown,
			Reason: cutpursev1.ErrorReason_ERROR_REASON_MALFORMED,
			Text:   "the service's first frame holds no Welcome; is it a Cutpurse service?",
		}
	}
	if version := frame.GetWelcome().GetProtocolVersion(); version != ProtocolVersion {
		return &ServiceRefusedError{
			Code:   codes.FailedPrecondition,
			Reason: cutpursev1.ErrorReason_ERROR_REASON_PROTOCOL_UNSUPPORTED,
			Text:   fmt.Sprintf("it speaks protocol version %d, this SDK %d", version, ProtocolVersion),
		}
	}
	return nil
}

// meaningOf is a ServiceRefusedError for what will not pass, and the error itself for what may. call is nil where there is none.
func meaningOf(err error, call grpc.ClientStream) error {
	var trailer metadata.MD
	if call != nil {
		trailer = call.Trailer()
	}
	if refused := refusedForGood(err, trailer); refused != nil {
		return refused
	}
	return err
}

// read hands every frame on until the stream ends.
func (s *stream) read() {
	defer s.goroutines.Done()
	defer close(s.frames)
	for {
		frame, err := s.call.Recv()
		if err != nil {
			// Our own cancelling is no error; the context of the call would not do here, since every end cancels it.
			if !errors.Is(err, io.EOF) && s.context.Err() == nil {
				s.err = meaningOf(err, s.call)
			}
			return
		}
		select {
		case s.frames <- frame:
		case <-s.context.Done():
			return
		}
	}
}

// startWriting sends from now on what nextFrame returns, after every wake.
func (s *stream) startWriting(nextFrame func() *cutpursev1.ConnectRequest) {
	s.goroutines.Add(1)
	go s.write(nextFrame)
	s.wake()
}

func (s *stream) write(nextFrame func() *cutpursev1.ConnectRequest) {
	defer s.goroutines.Done()
	for {
		select {
		case <-s.woken:
		case <-s.halfClosed:
			// It may be told so in the very moment in which there is something to say again.
			s.sendAll(nextFrame)
			_ = s.call.CloseSend()
			return
		case <-s.context.Done():
			return
		}
		if !s.sendAll(nextFrame) {
			return
		}
	}
}

func (s *stream) sendAll(nextFrame func() *cutpursev1.ConnectRequest) bool {
	for frame := nextFrame(); frame != nil; frame = nextFrame() {
		if err := s.call.Send(frame); err != nil {
			// The reader learns of the same end, with its reason; what has no reply is said again, so nothing is lost.
			s.log.Debug("writing ended", "error", err)
			return false
		}
	}
	return true
}

// wake says that there is something to say.
func (s *stream) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// endOf is the end of a match that the bot was offered earlier; nil while it runs, or if the service does not tell.
//
// A match that ends while its bot has no stream is not offered again, and no frame says that it is over.
func (s *stream) endOf(offer *cutpursev1.MatchOffered) *cutpursev1.MatchEnded {
	ctx, cancel := context.WithTimeout(s.context, askWait)
	defer cancel()
	ended := &cutpursev1.MatchEnded{Match: offer.GetMatch(), Seat: offer.GetSeat()}
	request := &cutpursev1.GetMatchRequest{Match: offer.GetMatch()}
	found, err := cutpursev1.NewMatchServiceClient(s.connection).GetMatch(ctx, request)
	if status.Code(err) == codes.NotFound {
		// A service that forgot the match, because its log was lost, cannot go on with it.
		ended.VoidCause = cutpursev1.VoidCause_VOID_CAUSE_PLATFORM
		return ended
	}
	switch found.GetPhase() {
	case cutpursev1.MatchPhase_MATCH_PHASE_ENDED:
		ended.Result = found.GetResult()
		return ended
	case cutpursev1.MatchPhase_MATCH_PHASE_VOIDED:
		ended.VoidCause = found.GetVoidCause()
		return ended
	}
	return nil
}

// endsOf are the ends of those matches that are over, asked for a few at a time.
func (s *stream) endsOf(offers []*cutpursev1.MatchOffered) []*cutpursev1.MatchEnded {
	const atOnce = 16
	found := make([]*cutpursev1.MatchEnded, len(offers))
	var asking sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i, offer := range offers {
		asking.Add(1)
		turns <- struct{}{}
		go func() {
			defer asking.Done()
			found[i] = s.endOf(offer)
			<-turns
		}()
	}
	asking.Wait()
	var ends []*cutpursev1.MatchEnded
	for _, ended := range found {
		if ended != nil {
			ends = append(ends, ended)
		}
	}
	return ends
}

// close frees everything. May be called in any state, and again.
func (s *stream) close() {
	s.cancel()
	s.goroutines.Wait()
	if err := s.connection.Close(); err != nil {
		s.log.Debug("closing the connection", "error", err)
	}
}
