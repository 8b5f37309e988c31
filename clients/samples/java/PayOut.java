import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PayoutRepeat;
import com.pesapost.PesaPost;
import java.io.IOException;
import java.util.UUID;

final class PayOut {
    private PayOut() {}

    static void run(PesaPost client) throws IOException {
        var checker = Checker.make();

        // sample
        var payout = new NewCollection(
                System.getenv("ACCOUNT_NO"),
                "254712345678",
                Amount.ofMinor(1_000),
                "KES",
                "mpesa",
                "PAY-" + UUID.randomUUID());
        var asked = client.payouts().request(payout);
        System.out.println(asked.status()); // pending_approval

        // Another holder approves it, with a credential of their own.
        var repeat = new PayoutRepeat(
                payout.phone(), payout.amountMinor());
        var approved =
                checker.payouts().approve(payout.reference(), repeat);
        System.out.println(approved.status()); // pending
        // end
    }
}
