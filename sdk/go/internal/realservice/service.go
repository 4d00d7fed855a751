// Package realservice starts the real service for tests, and asks it and its log what happened.
package realservice

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// startWait is how long the service may take to start on a machine that is busy.
const startWait = 4 * time.Minute

// Command is the program that is tested against: CUTPURSE, or else cutpurse on PATH. A missing one fails the test.
func Command(t testing.TB) string {
	t.Helper()
	named := os.Getenv("CUTPURSE")
	if named == "" {
		named = "cutpurse"
	}
	found, err := exec.LookPath(named)
	if err != nil {
		t.Fatalf("the tests need the service: set CUTPURSE to the program `cutpurse` (`make test-go` does): %v", err)
	}
	return found
}

// Service is `cutpurse serve` with a log in a file, so that it can be started again.
type Service struct {
	// Address is a unix socket.
	Address string
	// Socket is its path.
	Socket string

	test      testing.TB
	folder    string
	arguments []string
	process   *exec.Cmd
	exited    chan struct{}
	organiser *grpc.ClientConn
}

// In is the same service in the hands of another test, which fails in the place of the one that started it.
func (s *Service) In(t testing.TB) *Service {
	other := *s
	other.test, other.organiser = t, nil
	return &other
}

// Start starts the service until the test ends, with further arguments.
func Start(t testing.TB, arguments ...string) *Service {
	t.Helper()
	// The folder that a test gets may have a path that is too long for a socket.
	folder, err := os.MkdirTemp("", "cutpurse")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "service.sock")
	service := &Service{Address: "unix:" + socket, Socket: socket, test: t, folder: folder, arguments: arguments}
	t.Cleanup(func() {
		service.end(syscall.SIGKILL)
		os.RemoveAll(folder)
	})
	service.Launch()
	return service
}

// Launch starts the service again after Kill or Drain.
func (s *Service) Launch() {
	s.test.Helper()
	arguments := []string{
		"serve", "--listen", s.Address, "--log", "sqlite:" + filepath.Join(s.folder, "log.sqlite"),
		"--token-file", filepath.Join(s.folder, "organiser-token"), "--log-level", "error",
	}
	process := exec.Command(Command(s.test), append(arguments, s.arguments...)...)
	told, err := process.StderrPipe()
	if err != nil {
		s.test.Fatal(err)
	}
	if err := process.Start(); err != nil {
		s.test.Fatal(err)
	}
	s.process, s.exited = process, make(chan struct{})
	serves := make(chan struct{})
	var text strings.Builder
	go func() {
		isServing := false
		for lines := bufio.NewScanner(told); lines.Scan(); {
			if !isServing && strings.Contains(lines.Text(), "serves on") {
				isServing = true
				close(serves)
			}
			fmt.Fprintln(&text, lines.Text())
		}
		_ = process.Wait()
		close(s.exited)
	}()
	select {
	case <-serves:
	case <-s.exited:
		s.test.Fatalf("the service ended at once: %s", text.String())
	case <-time.After(startWait):
		s.test.Fatal("the service does not start")
	}
}

// Kill ends the service as a loss of power would.
func (s *Service) Kill() { s.end(syscall.SIGKILL) }

// Drain lets the service end in good order.
func (s *Service) Drain() { s.end(syscall.SIGTERM) }

func (s *Service) end(number syscall.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(number)
	select {
	case <-s.exited:
	case <-time.After(startWait):
		s.test.Fatal("the service does not end")
	}
}

// ask gives a connection and a context for calls of the organiser's.
func (s *Service) ask() (context.Context, *grpc.ClientConn) {
	s.test.Helper()
	token, err := os.ReadFile(filepath.Join(s.folder, "organiser-token"))
	if err != nil {
		s.test.Fatal(err)
	}
	if s.organiser == nil {
		s.organiser, err = grpc.NewClient(s.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			s.test.Fatal(err)
		}
		s.test.Cleanup(func() { s.organiser.Close() })
	}
	return metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+strings.TrimSpace(string(token))), s.organiser
}

// Bot registers a bot and returns its token.
func (s *Service) Bot(name string) string {
	s.test.Helper()
	ctx, connection := s.ask()
	identities := cutpursev1.NewIdentityServiceClient(connection)
	bot := &cutpursev1.BotDescription{Bot: name, Owner: "owner-of-" + name}
	if _, err := identities.RegisterBot(ctx, &cutpursev1.RegisterBotRequest{Bot: bot}); err != nil {
		s.test.Fatal(err)
	}
	issued, err := identities.IssueToken(ctx, &cutpursev1.IssueTokenRequest{Role: cutpursev1.Role_ROLE_BOT, Bot: name})
	if err != nil {
		s.test.Fatal(err)
	}
	return issued.GetToken()
}

// Match creates a match of registered bots under a patient clock, and returns its identifier.
func (s *Service) Match(game string, options map[string]string, bots ...string) string {
	s.test.Helper()
	ctx, connection := s.ask()
	clock := &cutpursev1.ClockSettings{DecisionMs: 60_000, BankMs: 60_000, WarmUpMs: 60_000, StrikesMax: 3, CorrectionsMax: 2}
	created, err := cutpursev1.NewMatchServiceClient(connection).CreateMatch(ctx, &cutpursev1.CreateMatchRequest{
		Configuration: &cutpursev1.MatchConfiguration{Game: game, Options: options, Clock: clock},
		Bots:          bots,
		Seed:          "a seed",
		RequestId:     fmt.Appendf(nil, "%s %v %d", game, bots, time.Now().UnixNano()),
	})
	if err != nil {
		s.test.Fatal(err)
	}
	return created.GetMatch()
}
