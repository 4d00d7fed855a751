package cutpurse

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// settings are what is needed to dial in: options first, then the environment.
type settings struct {
	// host:port or unix:/path.
	address string
	// Shown to the service as bearer token; never logged.
	token string
	// Makes Decision.Random repeatable; nil: different in every process.
	seed *string
	// With it the connection is encrypted; without, it must stay on this machine.
	authorities *x509.CertPool
}

// frameBytesReadMax bounds what the service may send in one frame: one of many views may be larger than gRPC's 4 MiB.
const frameBytesReadMax = 64 * 1024 * 1024

var hostAndPort = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\]|[^\[\]:/\s]+):([0-9]{1,5})$`)

// resolveSettings takes what is given, and the rest from the environment.
func resolveSettings(given *options) (*settings, error) {
	environment := given.environment
	resolved := &settings{
		address: firstNonEmpty(given.address, environment("CUTPURSE_ADDRESS")),
		token:   firstNonEmpty(given.token, environment("CUTPURSE_TOKEN")),
		seed:    given.seed,
	}
	if seed := environment("CUTPURSE_SEED"); resolved.seed == nil && seed != "" {
		resolved.seed = &seed
	}
	if resolved.address == "" {
		return nil, invalid("no address: pass WithAddress or set CUTPURSE_ADDRESS to host:port or unix:/path")
	}
	if resolved.token == "" {
		return nil, invalid("no token: pass WithToken or set CUTPURSE_TOKEN to the text that the organiser gave you")
	}
	if strings.ContainsFunc(resolved.token, func(each rune) bool { return each <= ' ' || each > '~' }) {
		return nil, invalid("the token holds characters that no token has; was it copied with a line break?")
	}
	if path := firstNonEmpty(given.ca, environment("CUTPURSE_CA")); path != "" {
		authorities, err := readAuthorities(path)
		if err != nil {
			return nil, err
		}
		resolved.authorities = authorities
	}
	if err := resolved.refuseOpenNetwork(); err != nil {
		return nil, err
	}
	return resolved, nil
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func invalid(format string, arguments ...any) *SettingsInvalidError {
	return &SettingsInvalidError{Text: fmt.Sprintf(format, arguments...)}
}

func readAuthorities(path string) (*x509.CertPool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		text := fmt.Sprintf("cannot read the certificate file (CUTPURSE_CA): %v", err)
		return nil, &SettingsInvalidError{Text: text, Err: err}
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(content) {
		return nil, invalid("%s (CUTPURSE_CA) holds no certificate in PEM form", path)
	}
	return authorities, nil
}

// refuseOpenNetwork demands that the connection is encrypted or stays on this machine: a token read on the way is a seat lost.
func (s *settings) refuseOpenNetwork() error {
	if strings.HasPrefix(s.address, "unix:") {
		return nil
	}
	found := hostAndPort.FindStringSubmatch(s.address)
	port := 0
	if found != nil {
		port, _ = strconv.Atoi(found[2])
	}
	if port < 1 || port > 65535 {
		return invalid("%q is no address: write host:port, [ipv6]:port or unix:/path", s.address)
	}
	if s.authorities == nil && !isLoopback(strings.Trim(found[1], "[]")) {
		return invalid("%s is another machine, and without encryption anybody on the way could read the token: "+
			"set CUTPURSE_CA to the file with the service's certificate authority (PEM)", s.address)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// open makes a connection for one stream; whoever opens it closes it.
func (s *settings) open() (*grpc.ClientConn, error) {
	secure := insecure.NewCredentials()
	if s.authorities != nil {
		secure = credentials.NewTLS(&tls.Config{RootCAs: s.authorities, MinVersion: tls.VersionTLS12})
	}
	return grpc.NewClient(s.address,
		grpc.WithTransportCredentials(secure),
		grpc.WithPerRPCCredentials(bearer(s.token)),
		grpc.WithUserAgent("cutpurse-sdk-go/"+Version),
		// The SDK dials in again itself, with its own pauses, and sends again only what it knows to be without effect.
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: welcomeWait}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(frameBytesReadMax)),
		// A connection may die without a word: behind a router that was switched off a bot would wait for ever.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	)
}

// Dial opens a connection for the other calls of the service, with the address, token and certificate authority that a bot of
// these options would use: for the clients that package cutpursev1 makes. Whoever opens it closes it.
func Dial(opts ...Option) (*grpc.ClientConn, error) {
	resolved, err := resolveSettings(gather(opts))
	if err != nil {
		return nil, err
	}
	return resolved.open()
}

// bearer shows the token with every call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false because connections that stay on this machine need none, and no others get so far.
func (b bearer) RequireTransportSecurity() bool { return false }
