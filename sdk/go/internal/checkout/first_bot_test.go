package checkout_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cutpurse/cutpurse/sdk/go/internal/realservice"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

const firstBot = repository + "/bots/examples/go"

// build builds a program in a folder of the repository, and returns its path.
func build(t *testing.T, folder string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bot")
	compile := exec.Command("go", "build", "-o", program, ".")
	compile.Dir = folder
	if told, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	return program
}

// program is a bot that runs.
type program struct {
	process *exec.Cmd
	errors  bytes.Buffer
	ended   chan int
}

// launch starts a bot with its settings in the environment.
func launch(t *testing.T, path, address string) *program {
	t.Helper()
	launched := &program{process: exec.Command(path), ended: make(chan int, 1)}
	launched.process.Env = append(os.Environ(), "CUTPURSE_ADDRESS="+address, "CUTPURSE_TOKEN=token")
	launched.process.Stderr = &launched.errors
	if err := launched.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		var exit *exec.ExitError
		if err := launched.process.Wait(); err == nil || errors.As(err, &exit) {
			launched.ended <- launched.process.ProcessState.ExitCode()
		}
	}()
	t.Cleanup(func() { _ = launched.process.Process.Kill() })
	return launched
}

// demandEnd demands an exit code, -1 for an end by a signal, and part of what was printed as error, empty for nothing at all.
func (p *program) demandEnd(t *testing.T, code int, text string) {
	t.Helper()
	select {
	case ended := <-p.ended:
		told := p.errors.String()
		if ended != code || !strings.Contains(told, text) || (text == "" && told != "") {
			t.Errorf("it ended with %d: %s", ended, told)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

func TestTheFirstBotHasUnderTenLinesOfItsAuthorsOwn(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(firstBot, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, line := range strings.Split(string(source), "\n") {
		// The head of every Go file is written by its editor.
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "package") {
			lines++
		}
	}
	if lines >= 10 {
		t.Errorf("it has %d lines", lines)
	}
}

func TestTheFirstBotIsSoundGo(t *testing.T) {
	for _, command := range []string{"go vet ./...", "go mod verify", "go mod tidy -diff"} {
		words := strings.Fields(command)
		check := exec.Command(words[0], words[1:]...)
		check.Dir = firstBot
		if told, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", command, err, told)
		}
	}
}

func TestASignalIsAGoodEndAndASecondOneTheEndAtOnce(t *testing.T) {
	bot := build(t, firstBot)
	for _, number := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		begun := make(chan struct{})
		service := scripted.Serve(t, func(line *scripted.Line) error {
			line.Begin("m")
			line.Say(scripted.Decisions(scripted.Decision("m", 1)))
			line.HearChoice()
			close(begun)
			// No reply, so that the bot waits for it.
			return line.Silence()
		})
		running := launch(t, bot, service.Address)
		<-begun
		since := time.Now()
		_ = running.process.Process.Signal(number)
		if number == syscall.SIGTERM {
			running.demandEnd(t, 0, "")
			if time.Since(since) < time.Second {
				t.Error("it did not wait for the reply")
			}
			continue
		}
		// The first one has to be heard before; the bot would wait for two seconds.
		for range 20 {
			time.Sleep(50 * time.Millisecond)
			_ = running.process.Process.Signal(number)
		}
		running.demandEnd(t, -1, "")
	}
}

func TestMainSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	bot := build(t, firstBot)
	refuse := scripted.Serve(t, func(line *scripted.Line) error { return line.BreakOff(16, "TOKEN_INVALID") })

	launch(t, bot, "").demandEnd(t, 2, "no address: pass WithAddress or set CUTPURSE_ADDRESS")
	launch(t, bot, "arena.example:7711").demandEnd(t, 2, "set CUTPURSE_CA")
	launch(t, bot, refuse.Address).demandEnd(t, 1, "TOKEN_INVALID")
}

func TestTheFirstBotPassesTheConformanceCheck(t *testing.T) {
	check := exec.Command(realservice.Command(t), "bot", "check", build(t, firstBot))

	told, err := check.CombinedOutput()

	if err != nil || !strings.Contains(string(told), " passed\n") {
		t.Errorf("%v: %s", err, told)
	}
}
