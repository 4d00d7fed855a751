package checkout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/internal/checkout"
)

const (
	// As seen from this folder, where Go runs its tests.
	sdk        = "../.."
	repository = "../../../.."
)

func demandStale(t *testing.T, made, committed string, wanted ...string) {
	t.Helper()
	stale, err := checkout.Stale(made, committed)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(stale, wanted) {
		t.Errorf("stale: %v, and it should be %v", stale, wanted)
	}
}

func TestTheGeneratedCodeIsWhatThePinnedGeneratorsMakeOfTheProtocol(t *testing.T) {
	buf := os.Getenv("BUF")
	if buf == "" {
		buf = "buf"
	}
	folder := t.TempDir()
	generate := exec.Command(buf, "generate", "--output", folder)
	generate.Dir = sdk
	if told, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("generating needs buf: set BUF (`make test-go` does): %v: %s", err, told)
	}
	made := filepath.Join(folder, "cutpursev1")

	demandStale(t, made, filepath.Join(sdk, "cutpursev1"))

	// The same comparison finds what is planted.
	committed := filepath.Join(t.TempDir(), "cutpursev1")
	if err := os.CopyFS(committed, os.DirFS(filepath.Join(sdk, "cutpursev1"))); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"bot.pb.go": "// edited\n", "gone.pb.go": "// Its proto has gone.\n"} {
		if err := os.WriteFile(filepath.Join(committed, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(committed, "match_grpc.pb.go")); err != nil {
		t.Fatal(err)
	}
	demandStale(t, made, committed, "bot.pb.go", "gone.pb.go", "match_grpc.pb.go")
}

func TestAllSDKsHaveOneVersion(t *testing.T) {
	python, err := os.ReadFile(filepath.Join(repository, "sdk/python/pyproject.toml"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^version = "(.+)"$`).FindSubmatch(python)
	if found == nil || string(found[1]) != cutpurse.Version {
		t.Errorf("%s here, and %s in Python", cutpurse.Version, found[1])
	}
}

func TestTheSDKDependsOnGRPCAndProtobufAlone(t *testing.T) {
	module, err := os.ReadFile(filepath.Join(sdk, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, found := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllSubmatch(module, -1) {
		direct = append(direct, string(found[1]))
	}
	if !slices.Equal(direct, []string{"google.golang.org/grpc", "google.golang.org/protobuf"}) {
		t.Errorf("it depends on %v", direct)
	}
}

func TestTheTemplateOfProjectsPinsWhatTheFirstBotPins(t *testing.T) {
	template := filepath.Join(repository, "server/service/cutpurse_server/bot_projects/go/go.sum.template")
	for _, sums := range []string{template, filepath.Join(repository, "bots/examples/go/go.sum")} {
		content, err := os.ReadFile(sums)
		if err != nil {
			t.Fatal(err)
		}
		of, err := os.ReadFile(filepath.Join(sdk, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
			if !strings.Contains(string(of), line+"\n") {
				t.Errorf("%s: %s is not what the SDK has", sums, line)
			}
		}
	}
}
