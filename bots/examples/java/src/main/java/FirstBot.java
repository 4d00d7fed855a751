import dev.cutpurse.sdk.Cutpurse;

/** A first bot: any legal action, by lot. */
public final class FirstBot {
    public static void main(String[] arguments) {
        Cutpurse.main(decision -> decision.legal().get(decision.random().nextInt(decision.legal().size())));
    }
}
