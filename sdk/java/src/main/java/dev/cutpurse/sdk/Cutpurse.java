package dev.cutpurse.sdk;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Plays.
 *
 * <pre>{@code
 * public static void main(String[] arguments) {
 *     Cutpurse.main(decision -> decision.legal().get(decision.random().nextInt(decision.legal().size())));
 * }
 * }</pre>
 *
 * <p>Where the service is and who the bot is comes from the environment (CUTPURSE_ADDRESS, CUTPURSE_TOKEN) or from {@link Options}.
 */
public final class Cutpurse {
    private Cutpurse() {}

    /** The whole of a bot's main method, with settings from the environment; see {@link #main(Choose, Options)}. */
    public static void main(Choose choose) {
        main(choose, new Options());
    }

    /**
     * The whole of a bot's main method: it plays until SIGINT or SIGTERM, or the service stops for good, or the matches asked for
     * are over.
     *
     * <p>A signal ends in good order: what was answered is brought home. An exception is printed, and the exit code is 2 for settings
     * that cannot be used and 1 for everything else. It never returns.
     */
    public static void main(Choose choose, Options options) {
        mainTyped(decision -> Answer.of(choose.choose(decision)), options);
    }

    /** Like {@link #main(Choose, Options)}, for a bot that answers with an index, a notation or a typed action. */
    public static void mainTyped(Choose.Typed choose, Options options) {
        int code = 0;
        try (Client client = options.connect()) {
            var isHome = new CountDownLatch(1);
            Thread atSignal = new Thread(() -> {
                client.stop();
                waitFor(isHome);
                // A shut-down by a signal would end with the signal's number, though the bot has ended in good order.
                Runtime.getRuntime().halt(0);
            });
            Runtime.getRuntime().addShutdownHook(atSignal);
            try {
                new Player(choose, options, client).play();
            } finally {
                isHome.countDown();
                forget(atSignal);
            }
        } catch (CutpurseException error) {
            System.err.println("cutpurse: " + error.getMessage());
            if (error instanceof CutpurseException.ChoiceFailed) {
                error.getCause().printStackTrace();
            }
            code = error instanceof CutpurseException.SettingsInvalid ? 2 : 1;
        } catch (InterruptedException interrupted) {
            code = 1;
        }
        System.exit(code);
    }

    private static void waitFor(CountDownLatch isHome) {
        try {
            isHome.await(Client.GRACE.toMillis() + 500, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void forget(Thread atSignal) {
        try {
            Runtime.getRuntime().removeShutdownHook(atSignal);
        } catch (IllegalStateException shuttingDown) {
            // The signal has come, and its thread waits for nothing else any more.
        }
    }

    /**
     * Plays until the matches asked for are over, or the service stops for good, or the thread is interrupted. Signals are left alone.
     *
     * @throws CutpurseException whatever ended the bot otherwise
     */
    public static Summary run(Choose choose, Options options) throws InterruptedException {
        return runTyped(decision -> Answer.of(choose.choose(decision)), options);
    }

    /** Like {@link #run}, for a bot that answers with an index, a notation or a typed action. */
    public static Summary runTyped(Choose.Typed choose, Options options) throws InterruptedException {
        try (Client client = options.connect()) {
            return new Player(choose, options, client).play();
        }
    }
}
