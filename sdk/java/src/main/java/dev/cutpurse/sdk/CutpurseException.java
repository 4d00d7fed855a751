package dev.cutpurse.sdk;

import dev.cutpurse.v1.ChoiceRefused;
import dev.cutpurse.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;

/** Everything that the SDK reports on purpose; its subclasses say what. */
public abstract sealed class CutpurseException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final String REASON_PREFIX = "ERROR_REASON_";

    /** The trailing metadata in which the service names the reason as text, beside the ErrorInfo of richer clients. */
    static final Metadata.Key<String> REASON_KEY = Metadata.Key.of("cutpurse-reason", Metadata.ASCII_STRING_MARSHALLER);

    private CutpurseException(String message, Throwable cause) {
        super(message, cause);
    }

    /** An address, a token, a certificate or an option is missing or cannot be used; nothing was sent. */
    public static final class SettingsInvalid extends CutpurseException {
        private static final long serialVersionUID = 1;

        SettingsInvalid(String message) {
            super(message, null);
        }

        SettingsInvalid(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** What the bot said is no answer to the decision. It was not sent. */
    public static final class AnswerInvalid extends CutpurseException {
        private static final long serialVersionUID = 1;

        AnswerInvalid(String answer, Decision decision) {
            super("%s is no answer to %s: give one of its legal actions, an index or an action".formatted(answer, decision), null);
        }
    }

    /** The bot's function, or the one that warms up, threw something. */
    public static final class ChoiceFailed extends CutpurseException {
        private static final long serialVersionUID = 1;

        ChoiceFailed(Object asked, Throwable cause) {
            super("choose failed for %s: %s".formatted(asked, cause), cause);
        }
    }

    /** The service refused the stream, and trying again would not help. */
    public static final class ServiceRefused extends CutpurseException {
        private static final long serialVersionUID = 1;
        private final transient Status status;
        private final ErrorReason reason;

        ServiceRefused(Status status, ErrorReason reason) {
            super("the service refused (%s, %s): %s".formatted(status.getCode(), nameOf(reason), textOf(status)), null);
            this.status = status;
            this.reason = reason;
        }

        /** The gRPC status. */
        public Status status() {
            return status;
        }

        /** Why; unspecified where the service named no reason, or one that this SDK does not know. */
        public ErrorReason reason() {
            return reason;
        }
    }

    /** The service could not be reached, or not be kept, until the patience was over. */
    public static final class ServiceUnreachable extends CutpurseException {
        private static final long serialVersionUID = 1;

        ServiceUnreachable(String address, Duration down, String text) {
            super("%s was out of reach for %d s: %s".formatted(address, down.toSeconds(), text), null);
        }
    }

    /** The service refused a choice, and {@link Reaction#FAIL} was asked for. */
    public static final class ChoiceNotTaken extends CutpurseException {
        private static final long serialVersionUID = 1;
        private final ChoiceRefused refusal;

        ChoiceNotTaken(ChoiceRefused refusal) {
            super("match %s, decision %d: %s: %s".formatted(
                    refusal.getMatch(), refusal.getDecision(), reasonName(refusal), refusal.getText()), null);
            this.refusal = refusal;
        }

        /** What the service said. */
        public ChoiceRefused refusal() {
            return refusal;
        }
    }

    /** The decision has no form that was asked for. */
    public static final class DecisionUnreadable extends CutpurseException {
        private static final long serialVersionUID = 1;

        DecisionUnreadable(String message) {
            super(message, null);
        }
    }

    /** The short text of a refusal's reason, such as DECISION_STALE; the number of one that this SDK does not know. */
    public static String reasonName(ChoiceRefused refusal) {
        ErrorReason reason = refusal.getReason();
        return reason == ErrorReason.UNRECOGNIZED ? Integer.toString(refusal.getReasonValue()) : nameOf(reason);
    }

    private static String nameOf(ErrorReason reason) {
        return reason.name().substring(REASON_PREFIX.length());
    }

    private static String textOf(Status status) {
        return status.getDescription() == null ? "no details" : status.getDescription();
    }

    /** What a failed call means: a refusal that will not change, or null if dialling in again may help. */
    static ServiceRefused refusedForGood(Status status, Metadata trailers) {
        String name = trailers == null ? null : trailers.get(REASON_KEY);
        if (isPassing(name, status.getCode())) {
            return null;
        }
        return new ServiceRefused(status, reasonOf(name));
    }

    private static ErrorReason reasonOf(String name) {
        try {
            return ErrorReason.valueOf(REASON_PREFIX + name);
        } catch (IllegalArgumentException unknown) {
            return ErrorReason.ERROR_REASON_UNSPECIFIED;
        }
    }

    /** Whether a failure may be gone a moment later, so that it is worth dialling in again. */
    private static boolean isPassing(String name, Status.Code code) {
        if (name != null) {
            return Set.of("READER_TOO_SLOW", "TOO_MANY_STREAMS", "RATE_LIMITED", "DRAINING", "LOG_UNAVAILABLE", "INTERNAL")
                    .contains(name);
        }
        // These name no reason, because they come from the connection or from something in between.
        return switch (code) {
            case OK, UNAVAILABLE, ABORTED, CANCELLED, DEADLINE_EXCEEDED, INTERNAL, UNKNOWN, RESOURCE_EXHAUSTED -> true;
            default -> false;
        };
    }
}
