package cutpurse_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	cryptorandom "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/internal/scripted"
)

// certified is a certificate that signs itself, and the file that bots are given to trust it.
func certified(t *testing.T) (certificate tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), cryptorandom.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		DNSNames:              []string{"localhost"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	content, err := x509.CreateCertificate(cryptorandom.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key}, file
}

// serveTLS serves scripts with a certificate, and returns the address by the name that the certificate has.
func serveTLS(t *testing.T, certificate tls.Certificate, scripts ...scripted.Script) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	secure := grpc.Creds(credentials.NewServerTLSFromCert(&certificate))
	return scripted.ServeOn(t, listener, "localhost:"+port, []grpc.ServerOption{secure}, scripts...).Address
}

func TestABotPlaysOverAnEncryptedConnection(t *testing.T) {
	certificate, file := certified(t)
	address := serveTLS(t, certificate, scripted.Finish)

	t.Setenv("CUTPURSE_CA", file)
	summary := play(t, first, quickly(address, cutpurse.WithMatches(1))...)

	demand(t, "decisions", summary.Decisions, 1)
}

func TestAServiceOfAnotherAuthorityNeverSeesTheToken(t *testing.T) {
	certificate, _ := certified(t)
	_, anothers := certified(t)
	address := serveTLS(t, certificate)

	_, err := run(t, first, quickly(address, cutpurse.WithCA(anothers), cutpurse.WithPatience(100*time.Millisecond))...)

	var unreachable *cutpurse.ServiceUnreachableError
	if !errors.As(err, &unreachable) {
		t.Errorf("the error is %v", err)
	}
}
