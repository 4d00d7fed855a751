package dev.cutpurse.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cutpurse.v1.View;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionTest {
    private static long lot(String seed, String match, int seat, int number) {
        return new Decision.Randomness(seed).source(match, seat, number).nextLong();
    }

    @Test
    void lotsDependOnSeedMatchSeatAndNumberAlone() {
        long first = lot("a", "m", 0, 1);
        assertEquals(first, lot("a", "m", 0, 1));
        for (long other : new long[] {lot("b", "m", 0, 1), lot("a", "n", 0, 1), lot("a", "m", 1, 1), lot("a", "m", 0, 2)}) {
            assertNotEquals(first, other);
        }
        assertNotEquals(lot(null, "m", 0, 1), lot(null, "m", 0, 1), "without a seed no two processes draw the same");
    }

    @Test
    void typedActionsThatWereNotAskedForAreNoEmptyList() {
        Decision decision = Decision.forTests("art_robbery", List.of("play N3"), View.getDefaultInstance());
        assertThrows(CutpurseException.DecisionUnreadable.class, decision::legalActions);
        assertEquals("decision 1 of match test (art_robbery, seat 0, legal [play N3])", decision.toString());
    }

    @Test
    void pausesDoubleUpToTheLongestAndAreNeverLessThanHalfOfThat() {
        int[][] cases = {{1, 50}, {2, 100}, {5, 800}, {8, 5_000}, {10_000, 5_000}};
        for (int[] each : cases) {
            Duration whole = Duration.ofMillis(each[1]);
            for (int time = 0; time < 50; time++) {
                Duration pause = Backoff.DEFAULT.pause(each[0]);
                assertTrue(pause.compareTo(whole.dividedBy(2)) >= 0 && pause.compareTo(whole) <= 0, pause.toString());
            }
        }
    }
}
