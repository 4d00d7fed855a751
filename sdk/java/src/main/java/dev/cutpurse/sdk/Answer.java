package dev.cutpurse.sdk;

import dev.cutpurse.v1.Action;
import dev.cutpurse.v1.ArtRobberyAction;
import dev.cutpurse.v1.BigMaxAction;
import dev.cutpurse.v1.Choice;
import dev.cutpurse.v1.ShadowThiefAction;

/**
 * An answer to a decision. Whether notation or an action is legal is for the service to say: it knows the reason, too.
 */
public sealed interface Answer {
    /**
     * The canonical text of an action, usually one of {@link Decision#legal()}.
     *
     * @param text the notation
     */
    record Notation(String text) implements Answer {}

    /**
     * A position in {@link Decision#legal()}.
     *
     * @param position from 0
     */
    record Index(int position) implements Answer {}

    /**
     * A typed message.
     *
     * @param message the action
     */
    record Typed(Action message) implements Answer {}

    /** Answers with the canonical text of an action. */
    static Answer of(String notation) {
        return new Notation(notation);
    }

    /** Answers with a position in the list of legal actions, from 0. */
    static Answer of(int index) {
        return new Index(index);
    }

    /** Answers with a typed message. */
    static Answer of(Action action) {
        return new Typed(action);
    }

    /** Answers with a typed message of Art Robbery. */
    static Answer of(ArtRobberyAction action) {
        return new Typed(Action.newBuilder().setArtRobbery(action).build());
    }

    /** Answers with a typed message of Big Max's Inheritance. */
    static Answer of(BigMaxAction action) {
        return new Typed(Action.newBuilder().setBigMax(action).build());
    }

    /** Answers with a typed message of The Shadow Thief. */
    static Answer of(ShadowThiefAction action) {
        return new Typed(Action.newBuilder().setShadowThief(action).build());
    }

    /** Writes an answer into a choice; throws {@link CutpurseException.AnswerInvalid} for what cannot be one. */
    static void write(Answer answer, Choice.Builder choice, Decision decision) {
        if (answer instanceof Notation notation && notation.text() != null) {
            choice.setNotation(notation.text());
        } else if (answer instanceof Index index && 0 <= index.position() && index.position() < decision.legal().size()) {
            choice.setIndex(index.position());
        } else if (answer instanceof Typed typed && typed.message() != null) {
            choice.setAction(typed.message());
        } else {
            throw new CutpurseException.AnswerInvalid(String.valueOf(answer), decision);
        }
    }
}
