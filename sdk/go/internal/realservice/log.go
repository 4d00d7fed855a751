package realservice

import (
	"bytes"
	"errors"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Log is what the log of a match says about its seats' choices.
type Log struct {
	// Chosen are the choices that bots made, by seat, in order.
	Chosen map[int][]*cutpursev1.ChoiceMadeSecret
	// Refused are the answers that were not taken, by seat.
	Refused map[int][]*cutpursev1.ChoiceRefusedSecret
	// Defaulted are the choices that were made for bots, by seat.
	Defaulted map[int][]*cutpursev1.ChoiceDefaultedSecret
	// Result is the match's.
	Result *cutpursev1.MatchResult
}

// Log reads the log of a match that is over.
func (s *Service) Log(match string) *Log {
	s.test.Helper()
	log := &Log{
		Chosen:    map[int][]*cutpursev1.ChoiceMadeSecret{},
		Refused:   map[int][]*cutpursev1.ChoiceRefusedSecret{},
		Defaulted: map[int][]*cutpursev1.ChoiceDefaultedSecret{},
	}
	for _, event := range s.events(match) {
		public, secret := &cutpursev1.PublicEvent{}, &cutpursev1.SecretEvent{}
		if err := errors.Join(proto.Unmarshal(event.GetPublicBytes(), public), proto.Unmarshal(event.GetSecretBytes(), secret)); err != nil {
			s.test.Fatal(err)
		}
		if made := secret.GetChoiceMade(); made != nil && made.GetCause() == cutpursev1.Cause_CAUSE_CHOSEN {
			log.Chosen[int(made.GetSeat())] = append(log.Chosen[int(made.GetSeat())], made)
		}
		if refused := secret.GetChoiceRefused(); refused != nil {
			log.Refused[int(refused.GetSeat())] = append(log.Refused[int(refused.GetSeat())], refused)
		}
		if defaulted := secret.GetChoiceDefaulted(); defaulted != nil {
			log.Defaulted[int(defaulted.GetSeat())] = append(log.Defaulted[int(defaulted.GetSeat())], defaulted)
		}
		if ended := public.GetMatchEnded(); ended != nil {
			log.Result = ended.GetResult()
		}
	}
	if log.Result == nil {
		s.test.Fatalf("the log of match %s has no end", match)
	}
	return log
}

// events are those of a match's bundle: a line, a line with a hash, and the body.
func (s *Service) events(match string) []*cutpursev1.ExportedEvent {
	s.test.Helper()
	ctx, connection := s.ask()
	pieces, err := cutpursev1.NewAuditServiceClient(connection).ExportBundle(ctx, &cutpursev1.ExportBundleRequest{
		Subject: &cutpursev1.ExportBundleRequest_Match{Match: match},
	})
	if err != nil {
		s.test.Fatal(err)
	}
	var file []byte
	for {
		piece, err := pieces.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.test.Fatal(err)
		}
		file = append(file, piece.GetPiece()...)
	}
	bundle := &cutpursev1.Bundle{}
	if err := proto.Unmarshal(bytes.SplitN(file, []byte("\n"), 3)[2], bundle); err != nil {
		s.test.Fatal(err)
	}
	return bundle.GetMatches()[0].GetEvents()
}
