package dev.cutpurse.sdk;

import dev.cutpurse.v1.BotServiceGrpc;
import dev.cutpurse.v1.ConnectRequest;
import dev.cutpurse.v1.ConnectResponse;
import dev.cutpurse.v1.ErrorReason;
import dev.cutpurse.v1.GetMatchRequest;
import dev.cutpurse.v1.GetMatchResponse;
import dev.cutpurse.v1.Hello;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchOffered;
import dev.cutpurse.v1.MatchServiceGrpc;
import dev.cutpurse.v1.VoidCause;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One open stream to the service. What it brings goes to an inbox, one arrival at a time, in gRPC's threads.
 *
 * <p>Frames are written only while gRPC has room for them, so that answers given until then share one.
 */
final class Stream implements AutoCloseable {
    static final int PROTOCOL_VERSION = 1;
    /** How long the service may take to answer Hello. */
    static final Duration WELCOME_WAIT = Duration.ofSeconds(10);
    /** How long it may take to say whether a match is over. */
    private static final Duration ASK_WAIT = Duration.ofSeconds(5);
    /** Of how many matches it is asked at once: one after the other, decisions would wait meanwhile. */
    private static final int ASK_AT_ONCE = 16;

    /** What a stream brings. */
    sealed interface Arrival {
        /** The stream that brought it, so that what an old one brings late is known as such. */
        Stream stream();

        /** A frame. */
        record Frame(Stream stream, ConnectResponse frame) implements Arrival {}

        /** There is room again for frames to send. */
        record Room(Stream stream) implements Arrival {}

        /** Its end, with the status and, for what will not pass, an exception. */
        record End(Stream stream, Status status, CutpurseException forGood) implements Arrival {}
    }

    private final Settings.Connection connection;
    private final long since = System.nanoTime();
    private ClientCallStreamObserver<ConnectRequest> outgoing;
    private boolean isHalfClosed;

    /** Begins to dial in; everything else arrives. */
    Stream(Settings settings, Hello hello, Consumer<Arrival> inbox) {
        connection = settings.open();
        BotServiceGrpc.newStub(connection.channel()).connect(new Receiver(inbox));
        outgoing.onNext(ConnectRequest.newBuilder().setHello(hello).build());
    }

    private final class Receiver implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
        private final Consumer<Arrival> inbox;

        Receiver(Consumer<Arrival> inbox) {
            this.inbox = inbox;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<ConnectRequest> observer) {
            outgoing = observer;
            observer.setOnReadyHandler(() -> inbox.accept(new Arrival.Room(Stream.this)));
        }

        @Override
        public void onNext(ConnectResponse frame) {
            inbox.accept(new Arrival.Frame(Stream.this, frame));
        }

        @Override
        public void onError(Throwable error) {
            Status status = Status.fromThrowable(error);
            var forGood = CutpurseException.refusedForGood(status, Status.trailersFromThrowable(error));
            inbox.accept(new Arrival.End(Stream.this, status, forGood));
        }

        @Override
        public void onCompleted() {
            inbox.accept(new Arrival.End(Stream.this, Status.OK.withDescription("the service ended the stream"), null));
        }
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** Demands that a first frame is Welcome and speaks our version; otherwise what will not pass. */
    static CutpurseException checkWelcome(ConnectResponse frame) {
        if (!frame.hasWelcome()) {
            return new CutpurseException.ServiceRefused(
                    Status.UNKNOWN.withDescription("the service's first frame holds no Welcome; is it a Cutpurse service?"),
                    ErrorReason.ERROR_REASON_MALFORMED);
        }
        int version = frame.getWelcome().getProtocolVersion();
        if (version != PROTOCOL_VERSION) {
            String text = "it speaks protocol version %d, this SDK %d".formatted(version, PROTOCOL_VERSION);
            return new CutpurseException.ServiceRefused(
                    Status.FAILED_PRECONDITION.withDescription(text), ErrorReason.ERROR_REASON_PROTOCOL_UNSUPPORTED);
        }
        return null;
    }

    /** Sends what there is to say, while there is room for it. */
    void say(Session session) {
        while (!isHalfClosed && outgoing.isReady() && session.hasSomethingToSay()) {
            outgoing.onNext(session.nextFrame());
        }
    }

    /** Nothing more will be said. */
    void halfClose() {
        if (!isHalfClosed) {
            isHalfClosed = true;
            outgoing.onCompleted();
        }
    }

    /**
     * The ends of those matches that are over. A match that ends while its bot has no stream is not offered again, and no frame
     * says that it is over.
     */
    List<MatchEnded> endsOf(List<MatchOffered> running) throws InterruptedException {
        var answers = new ArrayDeque<Future<GetMatchResponse>>();
        var ends = new ArrayList<MatchEnded>();
        for (int asked = 0, heard = 0; heard < running.size(); heard++) {
            while (asked < running.size() && answers.size() < ASK_AT_ONCE) {
                answers.add(ask(running.get(asked++)));
            }
            MatchEnded ended = endOf(running.get(heard), answers.remove());
            if (ended != null) {
                ends.add(ended);
            }
        }
        return ends;
    }

    private Future<GetMatchResponse> ask(MatchOffered offer) {
        return MatchServiceGrpc.newFutureStub(connection.channel())
                .withDeadlineAfter(ASK_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .getMatch(GetMatchRequest.newBuilder().setMatch(offer.getMatch()).build());
    }

    /** Null while the match runs, or if the service does not tell. */
    private static MatchEnded endOf(MatchOffered offer, Future<GetMatchResponse> answer) throws InterruptedException {
        var ended = MatchEnded.newBuilder().setMatch(offer.getMatch()).setSeat(offer.getSeat());
        GetMatchResponse found;
        try {
            found = answer.get();
        } catch (ExecutionException error) {
            // A service that forgot the match, because its log was lost, cannot go on with it.
            boolean isForgotten = Status.fromThrowable(error).getCode() == Status.Code.NOT_FOUND;
            return isForgotten ? ended.setVoidCause(VoidCause.VOID_CAUSE_PLATFORM).build() : null;
        }
        return switch (found.getPhase()) {
            case MATCH_PHASE_ENDED -> ended.setResult(found.getResult()).build();
            case MATCH_PHASE_VOIDED -> ended.setVoidCauseValue(found.getVoidCauseValue()).build();
            default -> null;
        };
    }

    /** Ends it at once and frees everything. May be called again. */
    @Override
    public void close() {
        connection.close();
    }
}
