package dev.cutpurse.sdk;

import dev.cutpurse.v1.Action;
import dev.cutpurse.v1.MatchConfiguration;
import dev.cutpurse.v1.MatchOffered;
import dev.cutpurse.v1.View;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** What a bot is asked, with everything that its seat may know. */
public final class Decision {
    private final dev.cutpurse.v1.Decision message;
    private final MatchOffered offer;
    private final SplittableRandom random;

    Decision(dev.cutpurse.v1.Decision message, MatchOffered offer, Randomness randomness) {
        this.message = message;
        this.offer = offer;
        this.random = randomness.source(message.getMatch(), message.getSeat(), message.getDecision());
    }

    /** A decision that was never asked: for tests of a bot. */
    public static Decision forTests(String game, List<String> legal, View view) {
        var offer = MatchOffered.newBuilder()
                .setMatch("test")
                .setPlayers(3)
                .setConfiguration(MatchConfiguration.newBuilder().setGame(game))
                .build();
        var message = dev.cutpurse.v1.Decision.newBuilder()
                .setMatch("test")
                .setDecision(1)
                .addAllLegal(legal)
                .setView(view)
                .build();
        return new Decision(message, offer, new Randomness("test"));
    }

    /** The match's identifier. */
    public String match() {
        return message.getMatch();
    }

    /** Counts this seat's own decisions in this match, from 1. */
    public int number() {
        return message.getDecision();
    }

    /** The game's identifier, such as art_robbery. */
    public String game() {
        return offer.getConfiguration().getGame();
    }

    /** This bot's seat, from 0. */
    public int seat() {
        return message.getSeat();
    }

    /** How many seats are at the table. */
    public int players() {
        return offer.getPlayers();
    }

    /** The legal actions in notation, in canonical order; never empty. */
    public List<String> legal() {
        return message.getLegalList();
    }

    /** All that the seat may know: the game's own message. */
    public View view() {
        return message.getView();
    }

    /** The time left for this decision before the bank is used, as of when the service sent it. */
    public Duration decisionLeft() {
        return Duration.ofMillis(message.getDecisionMsLeft());
    }

    /** The time left in this seat's bank. */
    public Duration bankLeft() {
        return Duration.ofMillis(message.getBankMsLeft());
    }

    /** What was charged for this seat's last decision. */
    public Duration lastCharged() {
        return Duration.ofMillis(message.getLastChargedMs());
    }

    /** How many refused answers may still be corrected; empty where there is no limit. */
    public OptionalInt correctionsLeft() {
        return message.hasCorrectionsLeft() ? OptionalInt.of(message.getCorrectionsLeft()) : OptionalInt.empty();
    }

    /** Chance of this decision's own: a function of the seed, the match, the seat and the decision's number. For one thread at a time. */
    public SplittableRandom random() {
        return random;
    }

    /** What was said about the match before it began: options, clock, the names of the seats. */
    public MatchOffered offer() {
        return offer;
    }

    /**
     * The legal actions as typed messages, in the order of {@link #legal()}.
     *
     * @throws CutpurseException.DecisionUnreadable unless they were asked for by {@link Options#legalActions}
     */
    public List<Action> legalActions() {
        if (message.getLegalActionsCount() == 0) {
            throw new CutpurseException.DecisionUnreadable(
                    "typed actions are sent on request only: call legalActions(true) of the options");
        }
        return message.getLegalActionsList();
    }

    @Override
    public String toString() {
        return "decision %d of match %s (%s, seat %d, legal %s)".formatted(number(), match(), game(), seat(), legal());
    }

    /**
     * Where {@link Decision#random()} comes from: one key for a whole process, one independent source per decision. A bot that
     * keeps no memory of its own therefore plays the same again when it is started anew in the middle of a match.
     */
    static final class Randomness {
        private final byte[] key;

        /** The key of a seed or, without one (null), a key that no other process has. */
        Randomness(String seed) {
            if (seed == null) {
                key = new byte[32];
                new SecureRandom().nextBytes(key);
            } else {
                // Hashed first, so that the key has a fixed length and no seed can imitate what follows it.
                key = sha256(seed.getBytes(StandardCharsets.UTF_8));
            }
        }

        SplittableRandom source(String match, int seat, int number) {
            byte[] label = "%s/%d/%d".formatted(match, seat, number).getBytes(StandardCharsets.UTF_8);
            return new SplittableRandom(ByteBuffer.wrap(sha256(key, label)).getLong());
        }

        private static byte[] sha256(byte[]... parts) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                for (byte[] part : parts) {
                    digest.update(part);
                }
                return digest.digest();
            } catch (NoSuchAlgorithmException impossible) {
                throw new AssertionError("every Java has SHA-256", impossible);
            }
        }
    }
}
