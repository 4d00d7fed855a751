package dev.cutpurse.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cutpurse.v1.Choice;
import dev.cutpurse.v1.ChoiceAccepted;
import dev.cutpurse.v1.ChoiceRefused;
import dev.cutpurse.v1.ConnectRequest;
import dev.cutpurse.v1.ConnectResponse;
import dev.cutpurse.v1.Draining;
import dev.cutpurse.v1.ErrorReason;
import dev.cutpurse.v1.MatchEnded;
import dev.cutpurse.v1.MatchOffered;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every order in which things can be lost, doubled or cut off, as plain calls. */
class SessionTest {
    private final Session session = new Session(new Decision.Randomness("test"));
    private Decision decision;
    private Choice choice;

    private static ConnectResponse offered(String match) {
        return ConnectResponse.newBuilder().addOffers(MatchOffered.newBuilder().setMatch(match).setPlayers(3)).build();
    }

    private static ConnectResponse asked(String match, int number) {
        var message = dev.cutpurse.v1.Decision.newBuilder().setMatch(match).setDecision(number).addLegal("this").addLegal("that");
        return ConnectResponse.newBuilder().addDecisions(message).build();
    }

    private static ConnectResponse accepted(Choice choice) {
        var message = ChoiceAccepted.newBuilder().setMatch(choice.getMatch()).setRequestId(choice.getRequestId());
        return ConnectResponse.newBuilder().addAccepted(message).build();
    }

    private static ConnectResponse refused(Choice choice, int reason) {
        var message = ChoiceRefused.newBuilder()
                .setMatch(choice.getMatch())
                .setDecision(choice.getDecision())
                .setRequestId(choice.getRequestId())
                .setReasonValue(reason);
        return ConnectResponse.newBuilder().addRefused(message).build();
    }

    private static ConnectResponse refused(Choice choice, ErrorReason reason) {
        return refused(choice, reason.getNumber());
    }

    private static ConnectResponse ended(String match) {
        return ConnectResponse.newBuilder().addEnded(MatchEnded.newBuilder().setMatch(match)).build();
    }

    private Decision ask(String match, int number) {
        return assertInstanceOf(Event.Asked.class, session.receive(asked(match, number)).get(0)).decision();
    }

    /** The first answer of the next frame; null if there is none. */
    private Choice said() {
        ConnectRequest frame = session.nextFrame();
        return frame == null || frame.getChoicesCount() == 0 ? null : frame.getChoices(0);
    }

    @BeforeEach
    void answerOnce() {
        session.receive(offered("m"));
        decision = ask("m", 1);
        assertTrue(session.answer(decision, Answer.of(1)));
        choice = said();
    }

    @Test
    void anAnswerIsSaidOnceAndSettledByItsReply() {
        assertEquals(1, choice.getIndex());
        assertNull(said());
        assertTrue(session.owes());
        session.receive(accepted(choice));
        session.receive(accepted(choice));
        assertFalse(session.owes());
        assertEquals(1, session.accepted());
        assertEquals(List.of(), session.receive(refused(choice, ErrorReason.ERROR_REASON_CHOICE_ILLEGAL)));
    }

    @Test
    void whatHasNoReplyIsSaidAgainWithTheSameId() {
        for (int stream = 0; stream < 3; stream++) {
            session.beginStream();
            assertEquals(choice, said());
        }
        session.receive(accepted(choice));
        session.beginStream();
        assertNull(said());
    }

    @Test
    void aDecisionThatIsAskedAgainIsNotDecidedAgain() {
        assertEquals(List.of(), session.receive(asked("m", 1)));
        assertFalse(session.answer(decision, Answer.of(0)));
        session.receive(accepted(choice));
        assertEquals(List.of(), session.receive(asked("m", 1)));
    }

    @Test
    void theNextDecisionSettlesTheOneBeforeWhoseReplyWasLost() {
        Decision next = ask("m", 2);
        session.beginStream();
        assertNull(said());
        session.answer(next, Answer.of(0));
        assertNotEquals(choice.getRequestId(), said().getRequestId());
        assertEquals(List.of(), session.receive(asked("m", 1)), "an older one is not looked at again");
    }

    @Test
    void aCorrectionHasANewId() {
        var refusal = session.receive(refused(choice, ErrorReason.ERROR_REASON_CHOICE_ILLEGAL)).get(0);
        assertTrue(assertInstanceOf(Event.Refused.class, refusal).isCorrectable());
        assertTrue(session.answer(decision, Answer.of("this")));
        assertNotEquals(choice.getRequestId(), said().getRequestId());
    }

    @ParameterizedTest
    @EnumSource(names = {"ERROR_REASON_CORRECTIONS_USED_UP", "ERROR_REASON_TIME_OVER", "ERROR_REASON_MATCH_OVER"})
    void aRefusalForGoodWaitsForTheNextDecision(ErrorReason reason) {
        var refusal = session.receive(refused(choice, reason)).get(0);
        assertFalse(assertInstanceOf(Event.Refused.class, refusal).isCorrectable());
        assertFalse(session.answer(decision, Answer.of(0)));
    }

    @Test
    void aDecisionThatWasAnsweredElsewhereIsNoEvent() {
        assertEquals(List.of(), session.receive(refused(choice, ErrorReason.ERROR_REASON_DECISION_STALE)));
        assertFalse(session.owes());
    }

    @Test
    void anAnswerThatCouldNotBeWrittenDownIsSentAgainAfterThePauseButNotForEver() {
        for (int retry = 1; retry <= Session.RETRIES_MAX; retry++) {
            assertEquals(List.of(), session.receive(refused(choice, ErrorReason.ERROR_REASON_LOG_UNAVAILABLE)));
            assertNull(said());
            assertEquals(retry, session.postponedTries().getAsInt());
            session.sendPostponed();
            assertEquals(choice, said());
        }
        assertEquals(1, session.receive(refused(choice, ErrorReason.ERROR_REASON_LOG_UNAVAILABLE)).size());
        assertFalse(session.owes());
    }

    @Test
    void aMatchThatEndsTakesEverythingOfItAlong() {
        session.beginStream();
        assertInstanceOf(Event.Ended.class, session.receive(ended("m")).get(0));
        assertEquals(List.of(), session.receive(ended("m")));
        assertEquals(List.of(), session.receive(accepted(choice)));
        assertEquals(List.of(), session.receive(asked("m", 2)));
        assertFalse(session.answer(decision, Answer.of(0)));
        assertNull(session.nextFrame());
        assertEquals(List.of(), session.running());
        assertFalse(session.isBusy());
    }

    @Test
    void readinessIsSaidAgainUntilTheMatchAsks() {
        session.receive(offered("n"));
        session.ready("n");
        assertEquals(1, session.nextFrame().getReadiesCount());
        session.beginStream();
        assertEquals(List.of(), session.receive(offered("n")));
        assertEquals("n", session.nextFrame().getReadies(0).getMatch());
        ask("n", 1);
        session.beginStream();
        assertEquals(0, session.nextFrame().getReadiesCount());
    }

    @Test
    void whatIsNoAnswerIsNotSent() {
        Decision next = ask("m", 2);
        for (Answer answer : new Answer[] {Answer.of(2), Answer.of(-1), Answer.of((String) null), null}) {
            assertThrows(CutpurseException.AnswerInvalid.class, () -> session.answer(next, answer));
        }
        assertNull(session.nextFrame());
        assertTrue(session.isOpen(next));
    }

    @Test
    void aFrameHoldsWhatTheServiceReadsAndTheRestFollows() {
        session.setFrameBytesMax(300);
        for (int number = 0; number < 600; number++) {
            session.receive(offered("m" + number));
            session.ready("m" + number);
        }
        var readies = new ArrayList<Integer>();
        for (ConnectRequest frame = session.nextFrame(); frame != null; frame = session.nextFrame()) {
            readies.add(frame.getReadiesCount());
        }
        assertEquals(List.of(256, 256, 88), readies);
        for (int number = 0; number < 20; number++) {
            session.answer(ask("m" + number, 1), Answer.of(0));
        }
        int frames = 0;
        int choices = 0;
        for (ConnectRequest frame = session.nextFrame(); frame != null; frame = session.nextFrame()) {
            assertTrue(frame.getSerializedSize() <= 300);
            frames++;
            choices += frame.getChoicesCount();
        }
        assertTrue(frames > 1);
        assertEquals(20, choices);
    }

    @Test
    void unknownReasonsAndEmptyFramesAreSurvived() {
        assertEquals(List.of(), session.receive(ConnectResponse.getDefaultInstance()));
        var refusal = assertInstanceOf(Event.Refused.class, session.receive(refused(choice, 9_999)).get(0));
        assertFalse(refusal.isCorrectable());
        assertEquals("9999", CutpurseException.reasonName(refusal.message()));
    }

    @Test
    void drainingIsOverWithTheNextStream() {
        session.receive(ConnectResponse.newBuilder().setDraining(Draining.getDefaultInstance()).build());
        assertTrue(session.isDraining() && session.isBusy());
        session.beginStream();
        assertFalse(session.isDraining());
    }
}
