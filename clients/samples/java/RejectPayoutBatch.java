import com.pesapost.Amount;
import com.pesapost.PayoutBatchRepeat;
import com.pesapost.PesaPost;

final class RejectPayoutBatch {
    private RejectPayoutBatch() {}

    static void run(PesaPost client) {
        // sample
        // The client of another holder.
        var repeat = new PayoutBatchRepeat(240, Amount.ofMinor(6_000_000));
        var rejected = client.payoutBatches().reject("salaries-2026-11", repeat);
        System.out.println(rejected.status()); // rejected
        // end
    }
}
