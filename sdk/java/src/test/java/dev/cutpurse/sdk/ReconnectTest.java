package dev.cutpurse.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cutpurse.v1.BotServiceGrpc;
import dev.cutpurse.v1.ConnectRequest;
import dev.cutpurse.v1.ConnectResponse;
import dev.cutpurse.v1.Decision;
import dev.cutpurse.v1.GetMatchRequest;
import dev.cutpurse.v1.GetMatchResponse;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchOffered;
import dev.cutpurse.v1.MatchPhase;
import dev.cutpurse.v1.MatchServiceGrpc;
import dev.cutpurse.v1.Welcome;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a bot does when it dials in again, against a service that follows a script. */
@Timeout(60)
class ReconnectTest {
    private static final int CROWD = 64;
    private static final int ASKED_MS = 20;

    private final List<String> happened = new CopyOnWriteArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger askedAtOnce = new AtomicInteger();
    private final AtomicInteger mostAskedAtOnce = new AtomicInteger();
    private Server server;

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    private Options optionsFor(BotServiceGrpc.BotServiceImplBase bots) throws IOException {
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(bots)
                .addService(new Slow())
                .build()
                .start();
        return new Options().address("localhost:" + server.getPort()).token("token").matches(1);
    }

    private static ConnectResponse.Builder welcome() {
        return ConnectResponse.newBuilder().setWelcome(Welcome.newBuilder().setProtocolVersion(1).setBot("bot"));
    }

    private static MatchOffered offer(int number) {
        return MatchOffered.newBuilder().setMatch("match-" + number).setPlayers(2).build();
    }

    private static MatchEnded end(int number) {
        return MatchEnded.newBuilder().setMatch("match-" + number).build();
    }

    /** Says one thing to whoever says Hello, and another one to whoever answers; without that the stream ends. */
    private record Scripted(StreamObserver<ConnectResponse> bot, ConnectResponse first, ConnectResponse then)
            implements StreamObserver<ConnectRequest> {
        @Override
        public void onNext(ConnectRequest frame) {
            if (frame.hasHello()) {
                bot.onNext(first);
                if (then == null) {
                    bot.onCompleted();
                }
            } else if (frame.getChoicesCount() > 0) {
                bot.onNext(then);
            }
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    /** Knows every match, and takes a while to say that it runs. */
    private final class Slow extends MatchServiceGrpc.MatchServiceImplBase {
        @Override
        public void getMatch(GetMatchRequest request, StreamObserver<GetMatchResponse> caller) {
            asked.incrementAndGet();
            int atOnce = askedAtOnce.incrementAndGet();
            mostAskedAtOnce.accumulateAndGet(atOnce, Math::max);
            try {
                Thread.sleep(ASKED_MS);
            } catch (InterruptedException interrupted) {
                return;
            }
            askedAtOnce.decrementAndGet();
            caller.onNext(GetMatchResponse.newBuilder().setPhase(MatchPhase.MATCH_PHASE_RUNNING).build());
            caller.onCompleted();
        }
    }

    @Test
    void whereNobodyListensTheErrorSaysWhy() throws Exception {
        Options options = optionsFor(new BotServiceGrpc.BotServiceImplBase() {}).patience(Duration.ZERO);
        server.shutdownNow().awaitTermination();

        CutpurseException.ServiceUnreachable error = assertThrows(
                CutpurseException.ServiceUnreachable.class, () -> Cutpurse.run(decision -> "anything", options));

        assertTrue(error.getMessage().contains("Connection refused"), error.getMessage());
    }

    @Test
    void aDecisionThatIsOpenSinceBeforeARestartWaitsForTheWarmUp() throws Exception {
        var open = Decision.newBuilder().setMatch("match-1").setDecision(4).addLegal("this");
        var all = welcome().addOffers(offer(1)).addDecisions(open).build();
        var over = ConnectResponse.newBuilder().addEnded(end(1)).build();
        Options options = optionsFor(new BotServiceGrpc.BotServiceImplBase() {
            @Override
            public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> bot) {
                return new Scripted(bot, all, over);
            }
        });
        for (int time = 0; time < 100; time++) {
            happened.clear();

            Cutpurse.run(decision -> {
                happened.add("chooses");
                return decision.legal().get(0);
            }, options.onMatch(offered -> happened.add("warms up")));

            assertEquals(List.of("warms up", "chooses"), happened);
        }
    }

    @Test
    void manyMatchesAreAskedForAtOnceSoThatDecisionsDoNotWait() throws Exception {
        var crowd = welcome();
        for (int number = 1; number <= CROWD; number++) {
            crowd.addOffers(offer(number));
        }
        var open = Decision.newBuilder().setMatch("match-1").setDecision(1).addLegal("this");
        var asking = welcome().addDecisions(open).build();
        var over = ConnectResponse.newBuilder().addEnded(end(1)).build();
        var streams = new AtomicInteger();
        Options options = optionsFor(new BotServiceGrpc.BotServiceImplBase() {
            @Override
            public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> bot) {
                boolean isFirst = streams.incrementAndGet() == 1;
                return isFirst ? new Scripted(bot, crowd.build(), null) : new Scripted(bot, asking, over);
            }
        });

        Cutpurse.run(decision -> decision.legal().get(0), options);

        assertEquals(CROWD, asked.get());
        int most = mostAskedAtOnce.get();
        assertTrue(most > 4 && most <= 16, () -> most + " at once");
    }
}
