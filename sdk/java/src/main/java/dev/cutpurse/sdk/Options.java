package dev.cutpurse.sdk;

import dev.cutpurse.v1.Hello;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchNews;
import dev.cutpurse.v1.MatchOffered;
import java.time.Duration;
import java.util.function.Consumer;

/** How to play. Everything may be left out: address and token then come from the environment. */
public final class Options {
    static final String SDK = "cutpurse-sdk-java/0.1.0";

    private String address;
    private String token;
    private String ca;
    private String seed;
    private String bot = "";
    private boolean wantsLegalActions;
    private boolean wantsNews;
    private Duration patience = Duration.ofMinutes(1);
    private Backoff backoff = Backoff.DEFAULT;
    Long matches;
    int concurrency;
    Consumer<MatchOffered> onMatch;
    Consumer<MatchNews> onNews = news -> {};
    Consumer<MatchEnded> onEnded = ended -> {};
    Reaction onRefused = Reaction.ANSWER_FIRST_LEGAL;
    Reaction onError = Reaction.FAIL;

    /** Where the service is: host:port or unix:/path; else CUTPURSE_ADDRESS. */
    public Options address(String where) {
        address = where;
        return this;
    }

    /** Who the bot is; else CUTPURSE_TOKEN. Whoever reads it can play in its name. */
    public Options token(String text) {
        token = text;
        return this;
    }

    /** The file with the service's certificate authority, PEM; else CUTPURSE_CA. Without one the SDK speaks only to its own machine. */
    public Options ca(String path) {
        ca = path;
        return this;
    }

    /** Makes {@link Decision#random()} repeatable; else CUTPURSE_SEED; else every process plays differently. */
    public Options seed(String text) {
        seed = text;
        return this;
    }

    /** The bot's name as it is registered; left out, the token says it. */
    public Options bot(String name) {
        bot = name;
        return this;
    }

    /** End after so many matches, at least 1; left out: never. */
    public Options matches(long count) {
        matches = count;
        return this;
    }

    /**
     * How many calls of the bot run at once, over all matches. With 1 a match waits while the bot thinks about another, with its
     * clock running. Left out, or 0: no bound.
     */
    public Options concurrency(int calls) {
        concurrency = calls;
        return this;
    }

    /** Ask for {@link Decision#legalActions()}. */
    public Options legalActions(boolean wanted) {
        wantsLegalActions = wanted;
        return this;
    }

    /** Ask for what everybody may know, as it happens, in a loop of one's own; {@link #onNews} does it otherwise. */
    public Options news(boolean wanted) {
        wantsNews = wanted;
        return this;
    }

    /** Called once for every match before the bot says that it is ready: to warm up, outside the clock. An exception ends the bot. */
    public Options onMatch(Consumer<MatchOffered> warmUp) {
        onMatch = warmUp;
        return this;
    }

    /** Called with what everybody may know, as it happens. It holds up everything else, so it should be quick. */
    public Options onNews(Consumer<MatchNews> hear) {
        onNews = hear;
        wantsNews = true;
        return this;
    }

    /** Called when a match is over. It holds up everything else, so it should be quick. */
    public Options onEnded(Consumer<MatchEnded> hear) {
        onEnded = hear;
        return this;
    }

    /** What to do about a choice that the service did not take; {@link Reaction#ANSWER_FIRST_LEGAL} unless said otherwise. */
    public Options onRefused(Reaction reaction) {
        onRefused = reaction;
        return this;
    }

    /** What to do about an exception that the bot throws; {@link Reaction#FAIL} unless said otherwise. */
    public Options onError(Reaction reaction) {
        onError = reaction;
        return this;
    }

    /** How long the service may be out of reach before {@link CutpurseException.ServiceUnreachable}; a minute unless said otherwise. */
    public Options patience(Duration limit) {
        patience = limit;
        return this;
    }

    /** The pauses between attempts to reach the service. */
    public Options backoff(Backoff pauses) {
        backoff = pauses;
        return this;
    }

    /**
     * A connection for a loop of one's own. Options about functions to call have no effect then.
     *
     * @throws CutpurseException.SettingsInvalid for what is missing or cannot be used
     */
    public Client connect() {
        if (matches != null && matches < 1) {
            throw new CutpurseException.SettingsInvalid("matches(%d): at least 1, or leave it out for no end".formatted(matches));
        }
        if (concurrency < 0) {
            throw new CutpurseException.SettingsInvalid("concurrency(%d): at least 1, or 0 for no bound".formatted(concurrency));
        }
        Settings settings = Settings.resolve(address, token, ca, seed, System::getenv);
        Hello hello = Hello.newBuilder()
                .setProtocolVersion(Stream.PROTOCOL_VERSION)
                .setBot(bot)
                .setSdk(SDK)
                .setWantsLegalActions(wantsLegalActions)
                .setWantsResolved(wantsNews)
                .build();
        return new Client(settings, hello, patience, backoff);
    }
}
