package dev.cutpurse.sdk;

import dev.cutpurse.v1.ChoiceRefused;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchNews;
import dev.cutpurse.v1.MatchOffered;

/** What a bot may have to do something about. */
public sealed interface Event {
    /**
     * A match to get ready for.
     *
     * @param offer the match
     */
    record Offered(MatchOffered offer) implements Event {}

    /**
     * Something to decide.
     *
     * @param decision what is asked
     */
    record Asked(Decision decision) implements Event {}

    /**
     * A choice that was not taken.
     *
     * @param decision what was to be decided
     * @param message what the service said
     * @param isCorrectable whether another answer to the same decision may be given now
     */
    record Refused(Decision decision, ChoiceRefused message, boolean isCorrectable) implements Event {}

    /**
     * What everybody may know; for bots that asked for it.
     *
     * @param news of one match
     */
    record News(MatchNews news) implements Event {}

    /**
     * A match is over.
     *
     * @param ended which, and how
     */
    record Ended(MatchEnded ended) implements Event {}
}
