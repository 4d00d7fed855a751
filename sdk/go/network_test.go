package cutpurse_test

import (
	"testing"
	"time"

	cutpurse "github.com/cutpurse/cutpurse/sdk/go"
	"github.com/cutpurse/cutpurse/sdk/go/internal/faulty"
	"github.com/cutpurse/cutpurse/sdk/go/internal/realservice"
)

// The real service behind bad networks: whatever is cut, lost or doubled, the log has every choice once.

// faultyMatches is how many matches two bots play at once under faults.
const faultyMatches = 8

// playFaulty lets two bots play, each over an address of its own, and demands that the log has what they said.
func playFaulty(t *testing.T, service *realservice.Service, addresses, names [2]string) {
	t.Helper()
	players := [2]*player{newPlayer(byLot), newPlayer(byLotWithNotation)}
	var bots []*started
	for i, name := range names {
		bots = append(bots, startBot(t, players[i].play, quickly(addresses[i],
			cutpurse.WithToken(service.Bot(name)), cutpurse.WithMatches(faultyMatches), cutpurse.WithPatience(time.Minute))...))
	}
	var matches []string
	for range faultyMatches {
		matches = append(matches, service.Match("art_robbery", nil, names[:]...))
	}
	for _, bot := range bots {
		summary := bot.wait(t)
		demand(t, "matches", summary.Matches, faultyMatches)
		demand(t, "refused", summary.Refused, 0)
	}
	for _, match := range matches {
		log := service.Log(match)
		for seat, player := range players {
			demandNoDoubleMove(t, log, match, seat, player)
		}
	}
}

func cutConnections(t *testing.T, service *realservice.Service) {
	proxies := [2]*faulty.Proxy{faulty.NewProxy(t, service.Socket, 1), faulty.NewProxy(t, service.Socket, 2)}

	playFaulty(t, service, [2]string{proxies[0].Address, proxies[1].Address}, [2]string{"kim", "leo"})

	for _, proxy := range proxies {
		if proxy.Struck.Load() < 5 {
			t.Errorf("only %d connections were cut", proxy.Struck.Load())
		}
	}
}

func unreliableRelay(t *testing.T, service *realservice.Service) {
	relay := faulty.NewRelay(t, service.Address, 3)

	playFaulty(t, service, [2]string{relay.Address, relay.Address}, [2]string{"mia", "ned"})

	if relay.Doubled.Load() < 10 || relay.Lost.Load() < 5 {
		t.Errorf("only %d frames were doubled and %d lost", relay.Doubled.Load(), relay.Lost.Load())
	}
}

func twoProcesses(t *testing.T, service *realservice.Service) {
	token := cutpurse.WithToken(service.Bot("ida"))
	players := [2]*player{newPlayer(byLot), newPlayer(byLot)}
	var bots []*started
	for _, player := range players {
		bots = append(bots, startBot(t, player.play, quickly(service.Address, token, cutpurse.WithMatches(1), cutpurse.WithSeed("s"))...))
	}
	bots = append(bots, startBot(t, byLot, quickly(service.Address, cutpurse.WithToken(service.Bot("jon")), cutpurse.WithMatches(1))...))
	match := service.Match("art_robbery", nil, "ida", "jon")

	accepted := 0
	for _, bot := range bots[:2] {
		accepted += bot.wait(t).Decisions
	}
	bots[2].wait(t)

	log := service.Log(match)
	demand(t, "accepted", accepted, len(log.Chosen[0]))
	demand(t, "refused", len(log.Refused[0])+len(log.Defaulted[0]), 0)
	// Both drew the same lots, so the log has what either of them said, as far as it was asked.
	said := map[int]string{}
	for _, player := range players {
		for i, number := range player.asked[match] {
			said[number] = player.said[match][i]
		}
	}
	demand(t, "decisions", len(said), len(log.Chosen[0]))
}
