import com.pesapost.Amount;
import com.pesapost.NewRefund;
import com.pesapost.PesaPost;

final class RefundCollection {
    private RefundCollection() {}

    static void run(PesaPost client) {
        // sample
        var refund = NewRefund.part(
                "REFUND-1001",
                Amount.ofMinor(25_000),
                "254712345678");
        var asked = client.collections().refund("INV-1001", refund);
        // pending_approval: another holder approves it
        System.out.println(asked.status());
        // end
    }
}
