package dev.cutpurse.sdk;

import dev.cutpurse.v1.ChoiceRefused;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchOffered;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Carries decisions to the bot and its answers back. Its fields belong to the thread that plays, but for those of {@link Seat}; the
 * bot's own calls run in other threads and touch nothing but the client.
 */
final class Player {
    /** A bot that plays for weeks keeps the results of its latest matches only. */
    private static final int RESULTS_KEPT_MAX = 10_000;

    private static final System.Logger LOG = System.getLogger("cutpurse");

    private final Choose.Typed choose;
    private final Options options;
    private final Client client;
    private final ExecutorService threads;
    private final Map<String, Seat> seats = new HashMap<>();
    /** By match, the decision in which the first legal action was sent already in place of a refused one. */
    private final Map<String, Integer> defaulted = new HashMap<>();
    private final ArrayDeque<MatchEnded> results = new ArrayDeque<>();
    private long matches;
    private long refused;

    /** Where the calls for one match wait for each other: a lock, and the latest one, which is given up when something newer comes. */
    private static final class Seat {
        /** Opens when the bot is warm: a decision may be open since before a restart. */
        private final CountDownLatch warm;
        private Future<?> latest;

        Seat(boolean isWarm) {
            warm = new CountDownLatch(isWarm ? 0 : 1);
        }
    }

    Player(Choose.Typed choose, Options options, Client client) {
        this.choose = choose;
        this.options = options;
        this.client = client;
        this.threads = options.concurrency > 0
                ? Executors.newFixedThreadPool(options.concurrency, Player::daemon)
                : Executors.newCachedThreadPool(Player::daemon);
    }

    /** A call that thinks for ever does not keep the program from ending. */
    private static Thread daemon(Runnable call) {
        var thread = new Thread(call, "cutpurse-choose");
        thread.setDaemon(true);
        return thread;
    }

    /** Carries events to where they belong, until the end. */
    Summary play() throws InterruptedException {
        try {
            for (Optional<Event> event = client.next(); event.isPresent(); event = client.next()) {
                take(event.get());
            }
        } finally {
            threads.shutdownNow();
        }
        Ending ending = client.ending().orElse(Ending.STOPPED);
        return new Summary(client.bot(), ending, matches, client.accepted(), refused, List.copyOf(results));
    }

    private void take(Event event) {
        if (event instanceof Event.Offered offered) {
            prepare(offered.offer());
        } else if (event instanceof Event.Asked asked) {
            decide(asked.decision());
        } else if (event instanceof Event.Ended ended) {
            end(ended.ended());
        } else if (event instanceof Event.Refused refusal) {
            mend(refusal.decision(), refusal.message(), refusal.isCorrectable());
        } else if (event instanceof Event.News news) {
            options.onNews.accept(news.news());
        }
    }

    /** Warms up for a match and says that the bot is ready. */
    private void prepare(MatchOffered offer) {
        var seat = new Seat(options.onMatch == null);
        seats.put(offer.getMatch(), seat);
        if (options.onMatch == null) {
            client.ready(offer);
            return;
        }
        threads.execute(() -> {
            try {
                options.onMatch.accept(offer);
            } catch (RuntimeException | Error error) {
                client.end(null, new CutpurseException.ChoiceFailed("warming up for match " + offer.getMatch(), error));
                return;
            }
            client.ready(offer);
            seat.warm.countDown();
        });
    }

    /** Asks the bot; what it was thinking about the match before is out of date. */
    private void decide(Decision decision) {
        Seat seat = seats.computeIfAbsent(decision.match(), match -> new Seat(true));
        if (seat.latest != null) {
            seat.latest.cancel(true);
        }
        seat.latest = threads.submit(() -> {
            seat.warm.await();
            synchronized (seat) {
                if (client.isOpen(decision)) {
                    think(decision);
                }
            }
            return null;
        });
    }

    /** Asks the bot and answers. */
    private void think(Decision decision) {
        Throwable error;
        try {
            client.answer(decision, choose.choose(decision));
            return;
        } catch (CutpurseException invalid) {
            error = invalid;
        } catch (Exception | Error thrown) {
            if (!client.isOpen(decision)) {
                // It was interrupted because nobody needs the answer any more.
                return;
            }
            error = new CutpurseException.ChoiceFailed(decision, thrown);
        }
        if (options.onError == Reaction.ANSWER_FIRST_LEGAL) {
            LOG.log(Level.ERROR, "answering with the first legal action instead", error);
            client.answer(decision, Answer.of(0));
        } else {
            client.end(null, (CutpurseException) error);
        }
    }

    /** A choice was not taken. */
    private void mend(Decision decision, ChoiceRefused message, boolean isCorrectable) {
        refused++;
        if (options.onRefused == Reaction.FAIL) {
            client.end(null, new CutpurseException.ChoiceNotTaken(message));
            return;
        }
        LOG.log(Level.WARNING, "match {0}, decision {1}: a choice was refused: {2}: {3}",
                message.getMatch(), message.getDecision(), CutpurseException.reasonName(message), message.getText());
        // One refusal of the first legal action is enough.
        Integer before = defaulted.put(decision.match(), decision.number());
        if (isCorrectable && (before == null || before != decision.number())) {
            client.answer(decision, Answer.of(0));
        }
    }

    /** A match is over. */
    private void end(MatchEnded ended) {
        matches++;
        Seat seat = seats.remove(ended.getMatch());
        if (seat != null && seat.latest != null) {
            seat.latest.cancel(true);
        }
        defaulted.remove(ended.getMatch());
        results.add(ended);
        if (results.size() > RESULTS_KEPT_MAX) {
            results.remove();
        }
        options.onEnded.accept(ended);
        if (options.matches != null && options.matches == matches) {
            client.end(Ending.MATCHES_PLAYED, null);
        }
    }
}
