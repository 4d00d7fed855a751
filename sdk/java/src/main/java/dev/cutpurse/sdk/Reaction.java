package dev.cutpurse.sdk;

/** What happens when something went wrong in one decision. */
public enum Reaction {
    /** Log it and, once in a decision, answer with the first legal action. */
    ANSWER_FIRST_LEGAL,
    /** End the bot with the exception. */
    FAIL
}
