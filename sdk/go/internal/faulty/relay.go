package faulty

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Relay passes whole frames to and from a service: some are doubled, and some are lost together with their stream.
type Relay struct {
	cutpursev1.UnimplementedBotServiceServer
	cutpursev1.UnimplementedMatchServiceServer

	// Address is where it listens.
	Address string
	// Doubled and Lost count what happened to frames.
	Doubled, Lost atomic.Int32

	service *grpc.ClientConn
	seed    uint64
	streams atomic.Uint64
}

// NewRelay listens on a port of this machine until the test ends.
func NewRelay(t testing.TB, service string, seed uint64) *Relay {
	t.Helper()
	connection, err := grpc.NewClient(service, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	relay := &Relay{Address: listener.Addr().String(), service: connection, seed: seed}
	server := grpc.NewServer()
	cutpursev1.RegisterBotServiceServer(server, relay)
	cutpursev1.RegisterMatchServiceServer(server, relay)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		connection.Close()
	})
	return relay
}

// GetMatch is passed on as it is.
func (r *Relay) GetMatch(ctx context.Context, request *cutpursev1.GetMatchRequest) (*cutpursev1.GetMatchResponse, error) {
	return cutpursev1.NewMatchServiceClient(r.service).GetMatch(onwards(ctx), request)
}

// onwards is the context of a call that goes on with the caller's token.
func onwards(ctx context.Context) context.Context {
	given, _ := metadata.FromIncomingContext(ctx)
	return metadata.NewOutgoingContext(ctx, metadata.MD{"authorization": given.Get("authorization")})
}

// Connect passes the frames of one stream.
func (r *Relay) Connect(bot grpc.BidiStreamingServer[cutpursev1.ConnectRequest, cutpursev1.ConnectResponse]) error {
	number := r.streams.Add(1)
	ctx, cancel := context.WithCancel(onwards(bot.Context()))
	defer cancel()
	service, err := cutpursev1.NewBotServiceClient(r.service).Connect(ctx)
	if err != nil {
		return err
	}
	// Room for both, since only the first end is waited for: the other way ends with the call, which ends with this function.
	ends := make(chan error, 2)
	go func() { ends <- pass(r, r.lots(number, 0), bot.Recv, service.Send) }()
	go func() { ends <- pass(r, r.lots(number, 1), service.Recv, bot.Send) }()
	if err := <-ends; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// lots decide about the frames of one stream, one way; nil for streams that are left alone.
func (r *Relay) lots(stream, way uint64) *rand.Rand {
	if stream > faultyMax {
		return nil
	}
	return rand.New(rand.NewPCG(r.seed, 2*stream+way))
}

// pass passes frames one way until the end.
func pass[F proto.Message](r *Relay, lots *rand.Rand, receive func() (F, error), send func(F) error) error {
	for isFirst := true; ; isFirst = false {
		frame, err := receive()
		if err != nil {
			return err
		}
		times := 1
		if lots != nil && !isFirst {
			switch lots.IntN(10) {
			case 0:
				r.Lost.Add(1)
				return status.Error(codes.Unavailable, "a frame was lost, and its stream with it")
			case 1, 2, 3:
				r.Doubled.Add(1)
				times = 2
			}
		}
		for range times {
			if err := send(frame); err != nil {
				return err
			}
		}
	}
}
