// Package faulty stands between a bot and the service in tests, and treats connections and frames badly, in a way that follows
// from a seed alone.
package faulty

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// faultyMax is how many connections or streams are treated badly; later ones are left alone, so that every match comes to its end.
const faultyMax = 25

// Proxy passes bytes to and from a service.
type Proxy struct {
	// Address is where it listens.
	Address string
	// Struck counts the connections that did not end by themselves.
	Struck atomic.Int32
}

// NewProxy listens on a port of this machine until the test ends, for a service on a unix socket.
//
// A connection is cut after so many bytes one way or the other, in the middle of whatever is under way. One in three is silent for
// a while before: what is sent then is lost.
func NewProxy(t testing.TB, socket string, seed uint64) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := &Proxy{Address: listener.Addr().String()}
	var serving sync.WaitGroup
	ending := make(chan struct{})
	serving.Add(1)
	go func() {
		defer serving.Done()
		for number := uint64(0); ; number++ {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Add(1)
			go func() {
				defer serving.Done()
				proxy.serve(client, socket, rand.New(rand.NewPCG(seed, number)), number < faultyMax, ending)
			}()
		}
	}()
	t.Cleanup(func() {
		close(ending)
		listener.Close()
		serving.Wait()
	})
	return proxy
}

// serve passes the bytes of one connection until its fault or its end.
func (p *Proxy) serve(client net.Conn, socket string, lot *rand.Rand, isFaulty bool, ending <-chan struct{}) {
	defer client.Close()
	service, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer service.Close()
	// As often within the first thousand bytes as within the next seven.
	upwardsLeft, downwardsLeft := int64(64)<<lot.IntN(8), int64(64)<<lot.IntN(8)
	silence := time.Duration(0)
	if lot.IntN(3) == 0 {
		silence = time.Duration(lot.IntN(300)) * time.Millisecond
	}
	if !isFaulty {
		upwardsLeft, downwardsLeft = 1<<62, 1<<62
	}
	over := make(chan bool, 2)
	pass := func(to io.Writer, from io.Reader, left int64) {
		passed, _ := io.CopyN(to, from, left)
		over <- passed == left
	}
	go pass(service, client, upwardsLeft)
	go pass(client, service, downwardsLeft)
	select {
	case isStruck := <-over:
		if isStruck {
			p.Struck.Add(1)
			time.Sleep(silence)
		}
	case <-ending:
	}
	if connection, isTCP := client.(*net.TCPConn); isTCP {
		// Reset instead of closed in good order.
		_ = connection.SetLinger(0)
	}
}
