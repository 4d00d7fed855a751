package dev.cutpurse.sdk;

/** Why a bot came to its end without an exception. */
public enum Ending {
    /** It was told to stop. */
    STOPPED,
    /** As many matches as were asked for are over. */
    MATCHES_PLAYED,
    /** The service said that it stops, and did not come back. */
    SERVICE_DRAINED
}
