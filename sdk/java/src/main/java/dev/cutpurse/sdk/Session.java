package dev.cutpurse.sdk;

import com.google.protobuf.ByteString;
import dev.cutpurse.v1.Choice;
import dev.cutpurse.v1.ChoiceAccepted;
import dev.cutpurse.v1.ChoiceRefused;
import dev.cutpurse.v1.ConnectRequest;
import dev.cutpurse.v1.ConnectResponse;
import dev.cutpurse.v1.ErrorReason;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchNews;
import dev.cutpurse.v1.MatchOffered;
import dev.cutpurse.v1.Ready;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What a bot knows across its streams: its matches, the decisions it owes, the answers that have no reply yet.
 *
 * <p>Nothing here waits, sends or locks. Frames go in and events come out; answers go in and frames come out. So every order in
 * which things can be lost, doubled or cut off is a plain method call in a test.
 *
 * <p>A decision goes this way; what arrives twice or late changes nothing:
 *
 * <pre>
 * GIVEN (the bot is thinking)  --answer-->  SENT (no reply yet)  --accepted-->  SETTLED
 *   ^                                         |
 *   +------------- refused, may be corrected -+-- refused otherwise -->  SETTLED
 * </pre>
 */
final class Session {
    static final int RETRIES_MAX = 100;
    private static final int CHOICES_PER_FRAME_MAX = 256;
    private static final int READIES_PER_FRAME_MAX = 256;
    private static final Set<ErrorReason> SAYS_NOTHING_ABOUT_THE_ANSWER = Set.of(
            ErrorReason.ERROR_REASON_LOG_UNAVAILABLE,
            ErrorReason.ERROR_REASON_INTERNAL,
            ErrorReason.ERROR_REASON_RATE_LIMITED,
            ErrorReason.ERROR_REASON_DRAINING);

    private enum Phase {
        SETTLED,
        GIVEN,
        SENT
    }

    /** One running match: what was offered, and the latest decision with the answer that has no reply yet. */
    private static final class Table {
        MatchOffered offer;
        boolean isReady;
        int number;
        Phase phase = Phase.SETTLED;
        Decision decision;
        /** Made once, and the same in every repetition; null where nothing waits for a reply. */
        Choice choice;
        int retries;

        void settle() {
            choice = null;
            phase = Phase.SETTLED;
        }
    }

    private final Decision.Randomness randomness;
    /** In the order in which they were offered, so that what is said again keeps an order. */
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private final ArrayDeque<String> readies = new ArrayDeque<>();
    private final ArrayDeque<Choice> outbox = new ArrayDeque<>();
    /** Answers that the service could not write down just then: to be sent again after a pause. */
    private final List<Choice> postponed = new ArrayList<>();
    private final byte[] idPrefix = new byte[8];
    private long ids;
    private long accepted;
    private boolean isDraining;
    private int frameBytesMax = 64 * 1024;

    Session(Decision.Randomness randomness) {
        this.randomness = randomness;
        // No two processes of one bot make the same id, and one process counts.
        new SecureRandom().nextBytes(idPrefix);
    }

    /** Choices that are in the log. */
    long accepted() {
        return accepted;
    }

    /** The service is going to stop, and wants this stream to end. */
    boolean isDraining() {
        return isDraining;
    }

    void setFrameBytesMax(int bytes) {
        frameBytesMax = bytes;
    }

    /** The matches that were offered and, as far as is known here, are not over. */
    List<MatchOffered> running() {
        return tables.values().stream().map(table -> table.offer).toList();
    }

    boolean hasSomethingToSay() {
        return !outbox.isEmpty() || !readies.isEmpty();
    }

    /** Whether something that was answered has no reply yet. */
    boolean owes() {
        return tables.values().stream().anyMatch(table -> table.phase == Phase.SENT);
    }

    /** Whether the bot thinks about something, or something that it said has no reply yet. */
    boolean isBusy() {
        return !readies.isEmpty() || tables.values().stream().anyMatch(table -> table.phase != Phase.SETTLED);
    }

    /** How often those answers were sent that wait for a pause; empty if there are none. */
    OptionalInt postponedTries() {
        return postponed.stream()
                .map(choice -> tables.get(choice.getMatch()))
                .filter(Objects::nonNull)
                .mapToInt(table -> table.retries)
                .max();
    }

    /** For a new stream: whatever has no reply is said again, with the same request ids. */
    void beginStream() {
        isDraining = false;
        postponed.clear();
        readies.clear();
        outbox.clear();
        tables.forEach((match, table) -> {
            if (table.isReady && table.number == 0) {
                readies.add(match);
            }
            if (table.choice != null) {
                outbox.add(table.choice);
            }
        });
    }

    /** The bot is warm. */
    void ready(String match) {
        Table table = tables.get(match);
        if (table != null) {
            table.isReady = true;
            readies.add(match);
        }
    }

    /** Whether a decision still waits for the bot's answer. */
    boolean isOpen(Decision decision) {
        Table table = tables.get(decision.match());
        return table != null && table.decision == decision && table.phase == Phase.GIVEN;
    }

    /** Takes an answer to a decision; false if the decision is over or has an answer: too late is no error. */
    boolean answer(Decision decision, Answer answer) {
        if (!isOpen(decision)) {
            return false;
        }
        Choice.Builder choice = Choice.newBuilder().setMatch(decision.match()).setDecision(decision.number());
        Answer.write(answer, choice, decision);
        choice.setRequestId(ByteString.copyFrom(ByteBuffer.allocate(16).put(idPrefix).putLong(++ids).array()));
        Table table = tables.get(decision.match());
        table.choice = choice.build();
        table.retries = 0;
        table.phase = Phase.SENT;
        outbox.add(table.choice);
        return true;
    }

    /** The next frame to send with everything that is to be said, as far as it fits; null if there is nothing. */
    ConnectRequest nextFrame() {
        if (!hasSomethingToSay()) {
            return null;
        }
        var frame = ConnectRequest.newBuilder();
        while (!readies.isEmpty() && frame.getReadiesCount() < READIES_PER_FRAME_MAX) {
            frame.addReadies(Ready.newBuilder().setMatch(readies.remove()));
        }
        int room = frameBytesMax - frame.build().getSerializedSize();
        while (!outbox.isEmpty() && frame.getChoicesCount() < CHOICES_PER_FRAME_MAX) {
            // Two bytes or three say how long a choice is.
            room -= outbox.peek().getSerializedSize() + 4;
            if (room < 0 && frame.getChoicesCount() > 0) {
                break;
            }
            frame.addChoices(outbox.remove());
        }
        return frame.build();
    }

    /** The pause is over: say again what the service could not write down, unless it is over meanwhile. */
    void sendPostponed() {
        for (Choice choice : postponed) {
            if (tableOf(choice.getMatch(), choice.getRequestId()) != null) {
                outbox.add(choice);
            }
        }
        postponed.clear();
    }

    /**
     * Takes in a frame and returns what is new in it, in the order in which it matters.
     *
     * <p>The order of the parts is the order of the protocol: a reply may stand in one frame with the decision after it.
     */
    List<Event> receive(ConnectResponse frame) {
        var events = new ArrayList<Event>();
        frame.getOffersList().forEach(offer -> takeOffer(events, offer));
        frame.getAcceptedList().forEach(this::takeAccepted);
        frame.getRefusedList().forEach(refused -> takeRefused(events, refused));
        frame.getDecisionsList().forEach(message -> takeDecision(events, message));
        for (MatchNews news : frame.getNewsList()) {
            events.add(new Event.News(news));
        }
        frame.getEndedList().forEach(ended -> takeEnded(events, ended));
        isDraining |= frame.hasDraining();
        return events;
    }

    private void takeOffer(List<Event> events, MatchOffered offer) {
        Table known = tables.get(offer.getMatch());
        if (known != null) {
            // Offered again after a reconnect. What the bot had said about it is in the outbox already.
            known.offer = offer;
            return;
        }
        var table = new Table();
        table.offer = offer;
        tables.put(offer.getMatch(), table);
        events.add(new Event.Offered(offer));
    }

    private void takeDecision(List<Event> events, dev.cutpurse.v1.Decision message) {
        Table table = tables.get(message.getMatch());
        // Of a match that is over; or delivered twice: the bot is thinking about it, or its answer is on its way, or it is over.
        if (table == null || message.getDecision() <= table.number) {
            return;
        }
        // If the one before it was sent, it is over, and its reply was lost.
        table.settle();
        table.number = message.getDecision();
        table.phase = Phase.GIVEN;
        table.decision = new Decision(message, table.offer, randomness);
        events.add(new Event.Asked(table.decision));
    }

    private void takeAccepted(ChoiceAccepted message) {
        Table table = tableOf(message.getMatch(), message.getRequestId());
        if (table != null) {
            table.settle();
            accepted++;
        }
    }

    private void takeRefused(List<Event> events, ChoiceRefused message) {
        Table table = tableOf(message.getMatch(), message.getRequestId());
        if (table == null) {
            return;
        }
        ErrorReason reason = message.getReason();
        if (SAYS_NOTHING_ABOUT_THE_ANSWER.contains(reason) && table.retries < RETRIES_MAX) {
            table.retries++;
            postponed.add(table.choice);
            return;
        }
        table.settle();
        // `corrections_left` counts those after the next one, so that 0 does not say whether there is a next one. Trying costs
        // nothing: an answer too many is refused without any effect.
        boolean isCorrectable =
                reason == ErrorReason.ERROR_REASON_CHOICE_MALFORMED || reason == ErrorReason.ERROR_REASON_CHOICE_ILLEGAL;
        if (isCorrectable) {
            table.phase = Phase.GIVEN;
        }
        // A stale one is usual where several streams of one bot answer, or where the reply to this very answer was lost.
        if (reason != ErrorReason.ERROR_REASON_DECISION_STALE) {
            events.add(new Event.Refused(table.decision, message, isCorrectable));
        }
    }

    private void takeEnded(List<Event> events, MatchEnded ended) {
        if (tables.remove(ended.getMatch()) != null) {
            readies.removeIf(ended.getMatch()::equals);
            outbox.removeIf(choice -> choice.getMatch().equals(ended.getMatch()));
            events.add(new Event.Ended(ended));
        }
    }

    /** The table whose latest answer has this request id; null for a reply to anything else. */
    private Table tableOf(String match, ByteString requestId) {
        Table table = tables.get(match);
        return table == null || table.choice == null || !table.choice.getRequestId().equals(requestId) ? null : table;
    }
}
