package dev.cutpurse.sdk;

import dev.cutpurse.v1.ConnectResponse;
import dev.cutpurse.v1.Hello;
import dev.cutpurse.v1.MatchOffered;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A bot's connection, for loops of one's own. A stream that breaks is dialled anew; no answer takes effect twice.
 *
 * <p>Made by {@link Options#connect()}. {@link #next()} is for one thread; everything else may be called from any thread.
 */
public final class Client implements AutoCloseable {
    /** How long a bot that stops waits for the replies to what it has said, and a drained stream for its end. */
    static final Duration GRACE = Duration.ofSeconds(2);
    /** A stream that lasted so long, or brought anything after Welcome, was a success: the patience begins anew. */
    private static final Duration STEADY = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger("cutpurse");

    /** What wakes {@link #next()} though no stream has brought anything: something was said, or the end has come. */
    private static final Object WOKEN = new Object();

    private final Settings settings;
    private final Hello hello;
    private final Duration patience;
    private final Backoff backoff;
    /** Arrivals of streams, and {@link #WOKEN}. */
    private final LinkedBlockingQueue<Object> arrivals = new LinkedBlockingQueue<>();

    // Everything below is guarded by this.
    private final Session session;
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private Stream stream;
    private boolean isWelcome;
    private Ending ending;
    private CutpurseException failure;
    private String bot = "";
    private int attempt;
    private boolean wasDrained;
    // Moments of System.nanoTime(); null where there is none.
    private Long downSince;
    private Long dialAt;
    private Long streamUntil;
    private Long sayAgainAt;

    Client(Settings settings, Hello hello, Duration patience, Backoff backoff) {
        this.settings = settings;
        this.hello = hello;
        this.patience = patience;
        this.backoff = backoff;
        this.session = new Session(new Decision.Randomness(settings.seed()));
    }

    /**
     * Waits for the next event. Empty at the end, and {@link #ending()} says why.
     *
     * @throws CutpurseException when the service cannot be had, or something else ended the bot
     */
    public Optional<Event> next() throws InterruptedException {
        while (true) {
            Duration wait;
            synchronized (this) {
                if (ending != null || failure != null) {
                    break;
                }
                if (!events.isEmpty()) {
                    return Optional.of(events.remove());
                }
                doWhatIsDue();
                wait = untilSomethingIsDue();
            }
            Object arrival = arrivals.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
            if (arrival instanceof Stream.Arrival brought) {
                take(brought);
            }
        }
        finish();
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            return Optional.empty();
        }
    }

    /** The bot is ready for a match. */
    public synchronized void ready(MatchOffered offer) {
        session.ready(offer.getMatch());
        say();
    }

    /**
     * Answers a decision. It returns at once; what is answered while a frame is being written goes into the next one together.
     *
     * @return false if the decision is over or has an answer, which is no error
     * @throws CutpurseException.AnswerInvalid for what is no answer to the decision
     */
    public synchronized boolean answer(Decision decision, Answer answer) {
        boolean wasTaken = session.answer(decision, answer);
        say();
        return wasTaken;
    }

    /** Whether a decision still waits for an answer. */
    public synchronized boolean isOpen(Decision decision) {
        return session.isOpen(decision);
    }

    /** How many of the bot's choices are in the log. */
    public synchronized long accepted() {
        return session.accepted();
    }

    /** The bot's name as the service knows it; empty before Welcome. */
    public synchronized String bot() {
        return bot;
    }

    /** Why {@link #next()} came to its end; empty before, or if that was an exception. */
    public synchronized Optional<Ending> ending() {
        return Optional.ofNullable(ending);
    }

    /** Lets {@link #next()} come to its end. What was said is brought home first, for two seconds at most. */
    public void stop() {
        end(Ending.STOPPED, null);
    }

    /** The first end counts. */
    void end(Ending why, CutpurseException exception) {
        synchronized (this) {
            if (ending == null && failure == null) {
                ending = why;
                failure = exception;
            }
        }
        arrivals.add(WOKEN);
    }

    /** Ends the stream at once and frees everything. */
    @Override
    public void close() {
        end(Ending.STOPPED, null);
        hangUp();
    }

    private synchronized void hangUp() {
        if (stream != null) {
            stream.close();
        }
        stream = null;
        isWelcome = false;
        streamUntil = null;
        sayAgainAt = null;
    }

    /** Hands over what is to be said, as far as there is room for it now. */
    private void say() {
        if (isWelcome) {
            stream.say(session);
        }
    }

    /** Dials, gives up what took too long, and says again what waited for a pause. */
    private void doWhatIsDue() {
        long now = System.nanoTime();
        if (stream == null && dialAt == null) {
            planToDial(now);
        }
        if (stream == null && dialAt - now <= 0) {
            dialAt = null;
            stream = new Stream(settings, hello, arrivals::add);
            streamUntil = System.nanoTime() + Stream.WELCOME_WAIT.toNanos();
        }
        if (streamUntil != null && streamUntil - now <= 0) {
            String what = isWelcome ? "the service drained and did not end the stream" : "no Welcome in time";
            lost(Status.DEADLINE_EXCEEDED.withDescription(what), null);
        }
        if (sayAgainAt != null && sayAgainAt - now <= 0) {
            sayAgainAt = null;
            session.sendPostponed();
            say();
        }
        if (isWelcome && session.isDraining() && !session.isBusy()) {
            stream.halfClose();
        }
    }

    private void planToDial(long now) {
        if (downSince == null) {
            downSince = now;
        }
        attempt++;
        boolean isFirst = attempt == 1 && !wasDrained;
        dialAt = isFirst ? now : now + backoff.pause(attempt).toNanos();
    }

    private Duration untilSomethingIsDue() {
        long now = System.nanoTime();
        long wait = TimeUnit.MINUTES.toNanos(1);
        for (Long moment : new Long[] {dialAt, streamUntil, sayAgainAt}) {
            if (moment != null) {
                wait = Math.min(wait, moment - now);
            }
        }
        return Duration.ofNanos(Math.max(wait, 0));
    }

    /** Takes what a stream has brought. What an old one brings late is nothing any more. */
    private void take(Stream.Arrival arrival) throws InterruptedException {
        synchronized (this) {
            if (arrival.stream() != stream) {
                return;
            }
            if (arrival instanceof Stream.Arrival.Room) {
                say();
                return;
            }
            if (arrival instanceof Stream.Arrival.End end) {
                lost(end.status(), end.forGood());
                return;
            }
        }
        ConnectResponse frame = ((Stream.Arrival.Frame) arrival).frame();
        if (isWelcome) {
            takeIn(frame);
        } else {
            begin(frame);
        }
    }

    /** Goes on where the last stream broke off. */
    private void begin(ConnectResponse frame) throws InterruptedException {
        CutpurseException forGood = Stream.checkWelcome(frame);
        if (forGood != null) {
            end(null, forGood);
            return;
        }
        // Asked without the lock: answers may be given meanwhile.
        var ends = stream.endsOf(running());
        synchronized (this) {
            bot = frame.getWelcome().getBot();
            if (frame.getWelcome().getFrameBytesMax() > 0) {
                session.setFrameBytesMax(frame.getWelcome().getFrameBytesMax());
            }
            session.beginStream();
            isWelcome = true;
            streamUntil = null;
            events.addAll(session.receive(frame.toBuilder().addAllEnded(ends).build()));
            say();
        }
    }

    private synchronized List<MatchOffered> running() {
        return session.running();
    }

    /** Hands a frame to the session. */
    private synchronized void takeIn(ConnectResponse frame) {
        boolean wasDraining = session.isDraining();
        events.addAll(session.receive(frame));
        long now = System.nanoTime();
        if (session.postponedTries().isPresent() && sayAgainAt == null) {
            sayAgainAt = now + backoff.pause(3 + session.postponedTries().getAsInt()).toNanos();
        }
        if (!session.isDraining()) {
            isWell();
            wasDrained = false;
        } else if (!wasDraining) {
            LOG.log(Level.INFO, "the service is going to stop");
            wasDrained = true;
            streamUntil = now + GRACE.toNanos();
        }
    }

    private void isWell() {
        attempt = 0;
        downSince = null;
    }

    /** The stream is over, or could not be had. */
    private void lost(Status status, CutpurseException forGood) {
        boolean isExpected = isWelcome && session.isDraining();
        if (isWelcome && stream.age().compareTo(STEADY) > 0 && !isExpected) {
            isWell();
        }
        hangUp();
        if (forGood != null) {
            end(null, forGood);
        } else if (!isExpected) {
            judge(status);
        }
    }

    /** Whether to try again. */
    private void judge(Status status) {
        Duration down = downSince == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - downSince);
        String text = "%s: %s".formatted(status.getCode(), status.getDescription());
        if (status.getCause() != null) {
            // Of a connection that could not be made, the description says no more than that.
            text += " (%s)".formatted(status.getCause().getMessage());
        }
        if (down.compareTo(patience) < 0) {
            LOG.log(attempt <= 1 ? Level.WARNING : Level.DEBUG, "no stream, dialling in again: {0}", text);
        } else if (wasDrained) {
            end(Ending.SERVICE_DRAINED, null);
        } else {
            end(null, new CutpurseException.ServiceUnreachable(settings.address(), down, text));
        }
    }

    /** Waits for the replies to what was said, then ends the stream. */
    private void finish() throws InterruptedException {
        long until = System.nanoTime() + GRACE.toNanos();
        while (failure == null && isWelcome && owes()) {
            Object arrival = arrivals.poll(Math.max(until - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
            if (arrival == null || arrival instanceof Stream.Arrival.End) {
                break;
            }
            synchronized (this) {
                // A frame counts for its replies alone; a stream that breaks now is not mended.
                if (arrival instanceof Stream.Arrival.Frame brought) {
                    session.receive(brought.frame());
                }
                say();
            }
        }
        hangUp();
    }

    private synchronized boolean owes() {
        return session.owes();
    }
}
