package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
)

// Examples without output are compiled and not run: they need a service.

// A whole bot: any legal action, by lot.
func Example() {
	choose := func(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		return cutpurse.Index(decision.Random.IntN(len(decision.Legal))), nil
	}
	cutpurse.Main(choose)
}

// A bot that looks at the table: it keeps off the Boss tile until it has a cover for it.
func ExampleDecision() {
	choose := func(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		view := decision.View.GetArtRobbery()
		isCovered := false
		for i, tile := range view.GetTable().GetFront() {
			isMine := view.GetTable().GetFrontSeats()[i] == view.GetSeat()
			isCovered = isCovered || isMine && tile == cutpursev1.ArtRobberyTile_ART_ROBBERY_TILE_5_0
		}
		for _, action := range decision.Legal {
			if isCovered == strings.Contains(action, "BOSS") {
				return cutpurse.Notation(action), nil
			}
		}
		return cutpurse.Index(0), nil
	}
	cutpurse.Main(choose)
}

// A program with a context of its own plays ten matches, warms up before each, and looks at how it went.
func ExampleRun() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	choose := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) {
		return cutpurse.Index(0), nil
	}
	warmUp := func(ctx context.Context, offer *cutpursev1.MatchOffered) error {
		fmt.Println("getting ready for", offer.GetMatch())
		return nil
	}

	summary, err := cutpurse.Run(ctx, choose,
		cutpurse.WithMatches(10), cutpurse.OnMatch(warmUp), cutpurse.OnError(cutpurse.AnswerFirstLegal))

	var refused *cutpurse.ServiceRefusedError
	switch {
	case errors.As(err, &refused):
		log.Fatalf("the service says %s", cutpurse.ReasonName(refused.Reason))
	case err != nil:
		log.Fatal(err)
	}
	fmt.Printf("%s: %d matches, %d decisions\n", summary.Bot, summary.Matches, summary.Decisions)
}

// A loop of one's own, inside a program that does other things as well.
func ExampleClient() {
	client, err := cutpurse.Connect()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for {
		event, err := client.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		switch event := event.(type) {
		case *cutpursev1.MatchOffered:
			client.Ready(event)
		case *cutpurse.Decision:
			if _, err := client.Answer(event, cutpurse.Notation(event.Legal[0])); err != nil {
				log.Fatal(err)
			}
		case *cutpurse.Refusal:
			if event.Correctable {
				_, _ = client.Answer(event.Decision, cutpurse.Index(0))
			}
		case *cutpursev1.MatchEnded:
			fmt.Println(event.GetResult().GetPlacements())
		}
	}
}

// The other calls of the service take the clients that package cutpursev1 makes.
func ExampleDial() {
	connection, err := cutpurse.Dial()
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	games, err := cutpursev1.NewGameServiceClient(connection).ListGames(context.Background(), &cutpursev1.ListGamesRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, game := range games.GetGames() {
		fmt.Println(game.GetName())
	}
}

func ExampleBackoff() {
	backoff := cutpurse.Backoff{First: 100 * time.Millisecond, Factor: 2, Longest: time.Second}
	pause := backoff.Pause(10)
	fmt.Println(pause >= 500*time.Millisecond, pause <= time.Second)
	// Output: true true
}
