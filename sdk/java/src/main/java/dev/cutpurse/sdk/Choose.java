package dev.cutpurse.sdk;

/** A bot: from a decision to the notation of one of its legal actions. */
@FunctionalInterface
public interface Choose {
    /**
     * Answers a decision. It is called from several threads at once when several matches are played, one call at a time for each
     * match. Its thread is interrupted when the answer is not needed any more; what it returns after that is ignored.
     *
     * @return the canonical text of an action, usually one of {@link Decision#legal()}
     * @throws Exception whatever the bot cannot help; see {@link Options#onError}
     */
    String choose(Decision decision) throws Exception;

    /** A bot that answers with an index, a notation or a typed action, as {@link Answer} makes them. */
    @FunctionalInterface
    interface Typed {
        /**
         * Answers a decision, as {@link Choose#choose} does.
         *
         * @throws Exception whatever the bot cannot help; see {@link Options#onError}
         */
        Answer choose(Decision decision) throws Exception;
    }
}
