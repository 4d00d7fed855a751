package dev.cutpurse.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static Settings resolve(String address, String token, String ca) {
        var environment = Map.of("CUTPURSE_ADDRESS", address, "CUTPURSE_TOKEN", token, "CUTPURSE_CA", ca);
        return Settings.resolve(null, null, null, null, environment::get);
    }

    private static void assertRefused(String said, String address, String token, String ca) {
        var error = assertThrows(CutpurseException.SettingsInvalid.class, () -> resolve(address, token, ca));
        assertTrue(error.getMessage().contains(said), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:7711", "localhost:7711", "[::1]:7711", "unix:/run/cutpurse.sock"})
    void whatStaysOnThisMachineNeedsNoEncryption(String address) {
        assertEquals(address, resolve(address, "token", "").address());
    }

    @ParameterizedTest
    @ValueSource(strings = {"arena.example:7711", "192.0.2.1:7711", "127.0.0.1.example:7711"})
    void anotherMachineIsNotSpokenToInTheOpen(String address) {
        assertRefused("CUTPURSE_CA", address, "token", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"arena", "localhost:", "localhost:0", "localhost:70000", ":7711", "::1:7711", "http://localhost:1", "a b:1"})
    void whatIsNoAddressIsSaidToBeNone(String address) {
        assertRefused("is no address", address, "token", "");
    }

    @Test
    void whatIsMissingIsNamedWithItsVariable() {
        assertRefused("CUTPURSE_ADDRESS", "", "token", "");
        assertRefused("CUTPURSE_TOKEN", "localhost:1", "", "");
        assertRefused("line break", "localhost:1", "token\n", "");
    }

    @Test
    void aCertificateThatCannotBeUsedIsNamed() {
        assertRefused("no/such/file", "arena.example:1", "token", "no/such/file");
        assertRefused("no certificate in PEM form", "arena.example:1", "token", "pom.xml");
    }

    @Test
    void whatIsGivenGoesBeforeTheEnvironment() {
        var environment = Map.of("CUTPURSE_ADDRESS", "localhost:2", "CUTPURSE_TOKEN", "theirs", "CUTPURSE_SEED", "s");
        assertEquals(
                new Settings("localhost:1", "mine", null, "s"),
                Settings.resolve("localhost:1", "mine", null, null, environment::get));
    }
}
