package cutpurse

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where the service is and who the bot is: options first, then the environment.

// resolved is what options and an environment come to.
func resolved(environment map[string]string, opts ...Option) (*settings, error) {
	given := gather(opts)
	given.environment = func(name string) string { return environment[name] }
	return resolveSettings(given)
}

func TestOptionsComeBeforeTheEnvironment(t *testing.T) {
	environment := map[string]string{
		"CUTPURSE_ADDRESS": "127.0.0.1:7711", "CUTPURSE_TOKEN": "token", "CUTPURSE_SEED": "seed",
	}

	from, err := resolved(environment)
	if err != nil || from.address != "127.0.0.1:7711" || from.token != "token" || *from.seed != "seed" {
		t.Errorf("from the environment: %v, %v", from, err)
	}
	given, err := resolved(environment, WithAddress("unix:/x"), WithToken("other"), WithSeed(""))
	if err != nil || given.address != "unix:/x" || given.token != "other" || *given.seed != "" {
		t.Errorf("from options: %v, %v", given, err)
	}
	without, err := resolved(map[string]string{"CUTPURSE_ADDRESS": "unix:/x", "CUTPURSE_TOKEN": "token"})
	if err != nil || without.seed != nil {
		t.Errorf("without a seed: %v, %v", without, err)
	}
}

func TestAddressesOfThisMachineNeedNoEncryption(t *testing.T) {
	for _, address := range []string{"localhost:7711", "127.0.0.1:1", "127.8.9.1:65535", "[::1]:7711", "unix:/a/b", "unix:c"} {
		if _, err := resolved(nil, WithAddress(address), WithToken("token")); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestSettingsThatCannotBeUsedSayWhatToSet(t *testing.T) {
	folder := t.TempDir()
	noCertificate := filepath.Join(folder, "none.pem")
	if err := os.WriteFile(noCertificate, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "missing.pem")
	for wanted, opts := range map[string][]Option{
		"CUTPURSE_ADDRESS":                 {WithToken("token")},
		"CUTPURSE_TOKEN":                   {WithAddress("unix:/x")},
		"line break":                       {WithAddress("unix:/x"), WithToken("token\n")},
		"another machine":                  {WithAddress("arena.example:7711"), WithToken("token")},
		"10.0.0.1:7711 is another machine": {WithAddress("10.0.0.1:7711"), WithToken("token")},
		"127.0.0.1.example:1 is another":   {WithAddress("127.0.0.1.example:1"), WithToken("token")},
		`"localhost" is no address`:        {WithAddress("localhost"), WithToken("token")},
		`"localhost:0" is no address`:      {WithAddress("localhost:0"), WithToken("token")},
		`"localhost:65536" is no address`:  {WithAddress("localhost:65536"), WithToken("token")},
		`"::1:7711" is no address`:         {WithAddress("::1:7711"), WithToken("token")},
		`"dns:///a:1" is no address`:       {WithAddress("dns:///a:1"), WithToken("token")},
		"cannot read the certificate file": {WithAddress("a.example:1"), WithToken("token"), WithCA(missing)},
		"holds no certificate in PEM form": {WithAddress("a.example:1"), WithToken("token"), WithCA(noCertificate)},
	} {
		_, err := resolved(nil, opts...)
		var unusable *SettingsInvalidError
		if !errors.As(err, &unusable) || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: the error is %v", wanted, err)
		}
	}
	_, err := resolved(nil, WithAddress("a.example:1"), WithToken("token"), WithCA(missing))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what lies below is %v", errors.Unwrap(err))
	}
}

func TestAnErrorNeverShowsTheToken(t *testing.T) {
	for _, opts := range [][]Option{
		{WithToken("se cret")},
		{WithToken("secret"), WithAddress("arena.example:7711")},
	} {
		_, err := resolved(nil, append(opts, WithAddress("arena.example:7711"))...)
		if err == nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestOptionsThatMeanNothingAreRefusedBeforeDialling(t *testing.T) {
	for _, option := range []Option{WithMatches(0), WithConcurrency(-1), OnRefused(7), OnError(-1), WithBackoff(Backoff{})} {
		var unusable *SettingsInvalidError
		if _, err := Connect(WithAddress("unix:/x"), WithToken("token"), option); !errors.As(err, &unusable) {
			t.Errorf("the error is %v", err)
		}
		choose := func(context.Context, *Decision) (Answer, error) { return Index(0), nil }
		if _, err := Run(t.Context(), choose, WithAddress("unix:/x"), WithToken("token"), option); !errors.As(err, &unusable) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestABotIsAFunction(t *testing.T) {
	var unusable *SettingsInvalidError
	if _, err := Run(t.Context(), nil, WithAddress("unix:/x"), WithToken("token")); !errors.As(err, &unusable) {
		t.Errorf("the error is %v", err)
	}
}
