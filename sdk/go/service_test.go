package cutpurse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/cutpursev1"
	"github.com/cutpurse/cutpurse/sdk/go/internal/realservice"
)

// The SDK at the real service: matches, refusals, restarts within a match.

// shortOptions are, by game, options under which a match is over soon, but not at once.
var shortOptions = map[string]map[string]string{
	"art_robbery":  {},
	"big_max":      {"turn_limit": "60"},
	"shadow_thief": {"deals": "3"},
}

// player is a bot of a test and what it said: by match and decision, the notation.
type player struct {
	choose cutpurse.Choose
	mutex  sync.Mutex
	said   map[string][]string
	asked  map[string][]int
}

func newPlayer(choose cutpurse.Choose) *player {
	return &player{choose: choose, said: map[string][]string{}, asked: map[string][]int{}}
}

// play asks the bot and remembers.
func (p *player) play(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	answer, err := p.choose(ctx, decision)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.asked[decision.Match] = append(p.asked[decision.Match], decision.Number)
	p.said[decision.Match] = append(p.said[decision.Match], notationOf(decision, answer))
	return answer, err
}

// notationOf is what an answer means.
func notationOf(decision *cutpurse.Decision, answer cutpurse.Answer) string {
	switch answer := answer.(type) {
	case cutpurse.Notation:
		return string(answer)
	case cutpurse.Index:
		return decision.Legal[answer]
	}
	return ""
}

// started is a bot that runs.
type started struct {
	summary cutpurse.Summary
	err     error
	ended   chan struct{}
}

// startBot starts a bot; it ends after so many matches, or with the test.
func startBot(t *testing.T, choose cutpurse.Choose, opts ...cutpurse.Option) *started {
	bot := &started{ended: make(chan struct{})}
	go func() {
		defer close(bot.ended)
		bot.summary, bot.err = cutpurse.Run(t.Context(), choose, opts...)
	}()
	return bot
}

// wait waits until a bot has come to its end by itself.
func (s *started) wait(t *testing.T) cutpurse.Summary {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("a bot does not come to its end")
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.summary
}

// demandNoDoubleMove demands that the log of a match has of a seat what its bot said, each once, in order, and no fault.
func demandNoDoubleMove(t *testing.T, log *realservice.Log, match string, seat int, bot *player) {
	t.Helper()
	chosen, ids := []string{}, map[string]bool{}
	for _, choice := range log.Chosen[seat] {
		chosen = append(chosen, choice.GetNotation())
		ids[string(choice.GetRequestId())] = true
	}
	if !slices.Equal(chosen, bot.said[match]) {
		t.Errorf("seat %d said %v, and the log has %v", seat, bot.said[match], chosen)
	}
	// Numbers that are left out belong to decisions that left no choice.
	if asked := bot.asked[match]; !slices.IsSorted(asked) || len(slices.Compact(slices.Clone(asked))) != len(asked) {
		t.Errorf("seat %d was asked %v", seat, asked)
	}
	demand(t, "request ids", len(ids), len(chosen))
	demand(t, "refused answers", len(log.Refused[seat]), 0)
	demand(t, "defaults", len(log.Defaulted[seat]), 0)
}

func byLotWithNotation(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	return cutpurse.Notation(decision.Legal[decision.Random.IntN(len(decision.Legal))]), nil
}

// byLotWithAction answers with a typed message, of either form.
func byLotWithAction(_ context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
	actions, err := decision.LegalActions()
	if err != nil {
		return nil, err
	}
	action := actions[decision.Random.IntN(len(actions))]
	if decision.Number%2 == 0 {
		return cutpurse.Action(action), nil
	}
	switch game := action.GetGame().(type) {
	case *cutpursev1.Action_ArtRobbery:
		return cutpurse.Action(game.ArtRobbery), nil
	case *cutpursev1.Action_BigMax:
		return cutpurse.Action(game.BigMax), nil
	case *cutpursev1.Action_ShadowThief:
		return cutpurse.Action(game.ShadowThief), nil
	}
	return nil, fmt.Errorf("an action of no game: %v", action)
}

func TestAtTheRealService(t *testing.T) {
	service := realservice.Start(t)
	for name, test := range map[string]func(*testing.T, *realservice.Service){
		"bots of every form play matches of all games at once": everyForm,
		"news of a match are all its decisions in order":       newsInOrder,
		"an illegal answer is put right and costs no strike":   illegalAnswer,
		"a token that is none is refused with its reason":      wrongToken,
		"Dial makes connections for other calls":               otherCalls,
		"two processes of one bot make no double move":         twoProcesses,
		"connections that are cut make no double move":         cutConnections,
		"frames that are doubled or lost make no double move":  unreliableRelay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, service.In(t))
		})
	}
}

func everyForm(t *testing.T, service *realservice.Service) {
	players := []*player{newPlayer(byLot), newPlayer(byLotWithNotation), newPlayer(byLotWithAction)}
	var bots []*started
	names := []string{"ann", "ben", "cat"}
	for i, name := range names {
		opts := quickly(service.Address, cutpurse.WithToken(service.Bot(name)), cutpurse.WithMatches(3), cutpurse.WithLegalActions())
		bots = append(bots, startBot(t, players[i].play, opts...))
	}
	matches := map[string]string{}
	for game, options := range shortOptions {
		matches[game] = service.Match(game, options, names...)
	}

	for i, bot := range bots {
		summary := bot.wait(t)
		demand(t, "bot", summary.Bot, names[i])
		demand(t, "ending", summary.Ending, cutpurse.MatchesPlayed)
		demand(t, "refused", summary.Refused, 0)
	}
	for game, match := range matches {
		log := service.Log(match)
		for seat, bot := range bots {
			ended := bot.summary.Results[slices.IndexFunc(bot.summary.Results, func(ended *cutpursev1.MatchEnded) bool {
				return ended.GetMatch() == match
			})]
			demand(t, "seat", int(ended.GetSeat()), seat)
			demand(t, "result", proto.Equal(ended.GetResult(), log.Result), true)
			if len(log.Chosen[seat]) < 3 {
				t.Errorf("%s: seat %d had nothing to do", game, seat)
			}
		}
		demandNoDoubleMove(t, log, match, 0, players[0])
		demandNoDoubleMove(t, log, match, 1, players[1])
	}
}

func newsInOrder(t *testing.T, service *realservice.Service) {
	var numbers []uint32
	hear := func(news *cutpursev1.MatchNews) {
		for _, resolved := range news.GetResolved() {
			numbers = append(numbers, resolved.GetNumber())
		}
	}
	ann := startBot(t, byLot, quickly(service.Address,
		cutpurse.WithToken(service.Bot("dan")), cutpurse.WithMatches(1), cutpurse.OnNews(hear))...)
	ben := startBot(t, byLot, quickly(service.Address, cutpurse.WithToken(service.Bot("eve")), cutpurse.WithMatches(1))...)
	service.Match("art_robbery", nil, "dan", "eve")

	decisions := ann.wait(t).Decisions + ben.wait(t).Decisions
	demand(t, "numbers", len(numbers), decisions)
	for i, number := range numbers {
		demand(t, "number", int(number), i+1)
	}
}

func illegalAnswer(t *testing.T, service *realservice.Service) {
	illegal := func(context.Context, *cutpurse.Decision) (cutpurse.Answer, error) {
		return cutpurse.Notation("play N0 take 5.0 from 1"), nil
	}
	ann := startBot(t, illegal, quickly(service.Address, cutpurse.WithToken(service.Bot("fay")), cutpurse.WithMatches(1))...)
	ben := startBot(t, byLot, quickly(service.Address, cutpurse.WithToken(service.Bot("gus")), cutpurse.WithMatches(1))...)
	match := service.Match("art_robbery", nil, "fay", "gus")

	summary := ann.wait(t)
	ben.wait(t)

	log := service.Log(match)
	demand(t, "refused", summary.Refused, summary.Decisions)
	demand(t, "refused in the log", len(log.Refused[0]), summary.Refused)
	demand(t, "chosen in the log", len(log.Chosen[0]), summary.Decisions)
	demand(t, "defaults", len(log.Defaulted[0]), 0)
	demand(t, "forfeits", len(log.Result.GetForfeited()), 0)
}

func wrongToken(t *testing.T, service *realservice.Service) {

	_, err := run(t, first, quickly(service.Address, cutpurse.WithToken("wrong"))...)

	var refused *cutpurse.ServiceRefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	demand(t, "reason", cutpurse.ReasonName(refused.Reason), "TOKEN_INVALID")
	demand(t, "code", refused.Code, codes.Unauthenticated)
}

func TestAMatchOutlivesRestartsOfTheServiceWithoutADoubleAnswer(t *testing.T) {
	service := realservice.Start(t)
	restarts := map[int]func(){4: service.Kill, 8: service.Drain}
	goingOn, isBack := make(chan func()), make(chan struct{})
	ann := newPlayer(func(ctx context.Context, decision *cutpurse.Decision) (cutpurse.Answer, error) {
		if end := restarts[decision.Number]; end != nil {
			// The service is stopped now; the answer comes while it is away.
			goingOn <- end
			<-isBack
		}
		return byLot(ctx, decision)
	})
	ben := newPlayer(byLot)
	patient := cutpurse.WithPatience(time.Minute)
	annRuns := startBot(t, ann.play, quickly(service.Address, cutpurse.WithToken(service.Bot("ann")), cutpurse.WithMatches(1), patient)...)
	benRuns := startBot(t, ben.play, quickly(service.Address, cutpurse.WithToken(service.Bot("ben")), cutpurse.WithMatches(1), patient)...)
	match := service.Match("art_robbery", nil, "ann", "ben")
	for range restarts {
		(<-goingOn)()
		isBack <- struct{}{}
		service.Launch()
	}

	summary := annRuns.wait(t)
	benRuns.wait(t)

	log := service.Log(match)
	demandNoDoubleMove(t, log, match, 0, ann)
	demandNoDoubleMove(t, log, match, 1, ben)
	demand(t, "decisions", len(log.Chosen[0]) >= 8, true)
	demand(t, "results", proto.Equal(summary.Results[0].GetResult(), log.Result), true)
	demand(t, "forfeits", len(log.Result.GetForfeited()), 0)
}

func otherCalls(t *testing.T, service *realservice.Service) {
	connection, err := cutpurse.Dial(cutpurse.WithAddress(service.Address), cutpurse.WithToken(service.Bot("hal")))
	demand(t, "error", err, nil)
	defer connection.Close()

	games, err := cutpursev1.NewGameServiceClient(connection).ListGames(t.Context(), &cutpursev1.ListGamesRequest{})
	demand(t, "error", err, nil)
	identity, err := cutpursev1.NewIdentityServiceClient(connection).GetIdentity(t.Context(), &cutpursev1.GetIdentityRequest{})
	demand(t, "error", err, nil)

	var names []string
	for _, game := range games.GetGames() {
		names = append(names, game.GetGame())
	}
	demand(t, "games", strings.Join(names, " "), "art_robbery big_max shadow_thief")
	demand(t, "bot", identity.GetBot().GetBot(), "hal")
}
