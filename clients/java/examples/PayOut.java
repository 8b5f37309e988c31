import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PayoutRepeat;
import com.pesapost.PesaPost;
import com.pesapost.PesaPostException;

/** Pays KES 100.00 out by two people: one holder asks, and another approves. */
final class PayOut {
    private PayOut() {}

    public static void main(String[] words) {
        PesaPost maker = Demo.client();
        PesaPost checker = Demo.checker();
        NewCollection payout = new NewCollection(
                Demo.setting("PESAPOST_ACCOUNT_NO"),
                "254712345678",
                Amount.ofMinor(10_000),
                "KES",
                "mpesa",
                "EXAMPLE-" + System.nanoTime());
        System.out.println(maker.payouts().request(payout).status());
        try {
            maker.payouts().approve(payout.reference());
        } catch (PesaPostException refusal) {
            System.out.println("refused: " + refusal.code());
        }
        // The checker repeats what they read on their own screen. The service compares it with the payout.
        PayoutRepeat seen = new PayoutRepeat(payout.phone(), payout.amountMinor());
        System.out.println(checker.payouts().approve(payout.reference(), seen).status());
    }
}
