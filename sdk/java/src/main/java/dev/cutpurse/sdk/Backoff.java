package dev.cutpurse.sdk;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long the pauses between attempts to dial in are.
 *
 * @param first the longest first pause
 * @param factor how much longer each next pause may be; at least 1
 * @param longest what no pause exceeds
 */
public record Backoff(Duration first, double factor, Duration longest) {
    /** From 50 ms, doubling, to 5 s. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(50), 2, Duration.ofSeconds(5));

    /**
     * The pause before an attempt, from 1: at random between half and the whole of what it may be.
     *
     * <p>At random, so that many bots of a service that comes back do not all dial in at the same moment.
     */
    public Duration pause(int attempt) {
        double whole = Math.min(first.toNanos() * Math.pow(factor, Math.min(attempt - 1, 64)), longest.toNanos());
        return Duration.ofNanos((long) (whole * ThreadLocalRandom.current().nextDouble(0.5, 1)));
    }
}
