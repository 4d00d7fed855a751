// Package scripted is a service for tests that follows a script: one function for every stream that a bot opens, in order.
package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Script is the service's side of one stream; what it returns is the stream's end.
type Script func(line *Line) error

// Service follows its scripts.
type Service struct {
	cutpursev1.UnimplementedBotServiceServer
	cutpursev1.UnimplementedMatchServiceServer

	// Address is where it listens.
	Address string
	// Known is what GetMatch answers, by match; of all others it says that there is no such match.
	Known map[string]*cutpursev1.GetMatchResponse
	// AtLast is followed by every stream for which there is no script; nil: they are told UNAVAILABLE.
	AtLast Script

	test    testing.TB
	mutex   sync.Mutex
	scripts []Script
}

// Serve follows the scripts on a unix socket until the test ends, and sees to it then that all were followed.
func Serve(t testing.TB, scripts ...Script) *Service {
	t.Helper()
	// The folder that a test gets may have a path that is too long for a socket.
	folder, err := os.MkdirTemp("", "scripted")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "service.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return ServeOn(t, listener, "unix:"+path, nil, scripts...)
}

// ServeOn does the same on any listener, with further options of the server.
func ServeOn(t testing.TB, listener net.Listener, address string, options []grpc.ServerOption, scripts ...Script) *Service {
	t.Helper()
	service := &Service{Address: address, test: t, scripts: scripts}
	server := grpc.NewServer(options...)
	cutpursev1.RegisterBotServiceServer(server, service)
	cutpursev1.RegisterMatchServiceServer(server, service)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		service.mutex.Lock()
		defer service.mutex.Unlock()
		if left := len(service.scripts); left > 0 {
			t.Errorf("%d scripts were never followed", left)
		}
	})
	return service
}

// Connect follows the next script.
func (s *Service) Connect(stream grpc.BidiStreamingServer[cutpursev1.ConnectRequest, cutpursev1.ConnectResponse]) (err error) {
	s.mutex.Lock()
	script := s.AtLast
	if len(s.scripts) > 0 {
		script, s.scripts = s.scripts[0], s.scripts[1:]
	}
	s.mutex.Unlock()
	if script == nil {
		return status.Error(codes.Unavailable, "the script is over")
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			fault, isFault := panicked.(fault)
			if !isFault {
				panic(panicked)
			}
			s.test.Errorf("the script failed: %s", fault)
			err = status.Error(codes.InvalidArgument, "the script failed")
		}
	}()
	given, _ := metadata.FromIncomingContext(stream.Context())
	return script(&Line{stream: stream, Metadata: given})
}

// GetMatch answers what is known.
func (s *Service) GetMatch(_ context.Context, request *cutpursev1.GetMatchRequest) (*cutpursev1.GetMatchResponse, error) {
	if known := s.Known[request.GetMatch()]; known != nil {
		return known, nil
	}
	return nil, status.Error(codes.NotFound, "as scripted")
}

// fault is what a script says when the bot does something else than the script expects.
type fault string

// Line is the service's end of one stream. Its methods end the script when the bot does something unexpected.
type Line struct {
	// Metadata is what came with the call.
	Metadata metadata.MD
	stream   grpc.BidiStreamingServer[cutpursev1.ConnectRequest, cutpursev1.ConnectResponse]
}

// Expect ends the script unless something holds.
func (l *Line) Expect(holds bool, format string, arguments ...any) {
	if !holds {
		panic(fault(fmt.Sprintf(format, arguments...)))
	}
}

// Hear is the bot's next frame; nil when it has said that nothing more comes, or has gone.
func (l *Line) Hear() *cutpursev1.ConnectRequest {
	frame, err := l.stream.Recv()
	if err != nil {
		l.Expect(errors.Is(err, io.EOF) || status.Code(err) == codes.Canceled, "reading failed: %v", err)
		return nil
	}
	return frame
}

// HearEnd hears that the bot says in good order that nothing more comes.
func (l *Line) HearEnd() {
	frame, err := l.stream.Recv()
	l.Expect(errors.Is(err, io.EOF), "a good end was expected: %v, %v", frame, err)
}

// HearChoice is the next choice, which is the only thing in its frame.
func (l *Line) HearChoice() *cutpursev1.Choice {
	frame := l.Hear()
	l.Expect(frame != nil, "the bot has gone, and a choice was expected")
	l.Expect(len(frame.GetChoices()) == 1 && len(frame.GetReadies()) == 0, "one choice was expected: %v", frame)
	return frame.GetChoices()[0]
}

// Say sends a frame.
func (l *Line) Say(frame *cutpursev1.ConnectResponse) {
	// A bot that has gone hears nothing; what it should have heard, the test will miss.
	_ = l.stream.Send(frame)
}

// Welcome hears Hello, answers it, and offers these matches in the same frame.
func (l *Line) Welcome(matches ...string) *cutpursev1.Hello {
	return l.WelcomeWith(&cutpursev1.ConnectResponse{}, matches...)
}

// WelcomeWith does the same with more in the frame.
func (l *Line) WelcomeWith(frame *cutpursev1.ConnectResponse, matches ...string) *cutpursev1.Hello {
	heard := l.Hear()
	l.Expect(heard.GetHello() != nil, "Hello was expected: %v", heard)
	frame.Welcome = &cutpursev1.Welcome{ProtocolVersion: 1, Bot: "scripted", Server: "script"}
	for _, match := range matches {
		frame.Offers = append(frame.Offers, Offer(match))
	}
	l.Say(frame)
	return heard.GetHello()
}

// Begin does the same, and hears that the bot is ready for them.
func (l *Line) Begin(matches ...string) *cutpursev1.Hello {
	hello := l.Welcome(matches...)
	l.HearReady(matches...)
	return hello
}

// HearReady hears that the bot is ready for these matches.
func (l *Line) HearReady(matches ...string) {
	waiting := map[string]bool{}
	for _, match := range matches {
		waiting[match] = true
	}
	for len(waiting) > 0 {
		frame := l.Hear()
		l.Expect(len(frame.GetReadies()) > 0, "readies were expected: %v", frame)
		for _, ready := range frame.GetReadies() {
			l.Expect(waiting[ready.GetMatch()], "ready for %s, which is not waited for", ready.GetMatch())
			delete(waiting, ready.GetMatch())
		}
	}
}

// BreakOff is the end of a stream by an error; the reason may be empty.
func (l *Line) BreakOff(code codes.Code, reason string) error {
	if reason != "" {
		l.stream.SetTrailer(metadata.Pairs("cutpurse-reason", reason))
	}
	return status.Error(code, "as scripted")
}

// Silence says nothing until the bot goes.
func (l *Line) Silence() error {
	for l.Hear() != nil {
	}
	return nil
}
