import com.pesapost.Amount;
import com.pesapost.PayoutBatchRepeat;
import com.pesapost.PesaPost;

final class ApprovePayoutBatch {
    private ApprovePayoutBatch() {}

    static void run(PesaPost client) {
        // sample
        // The client of another holder.
        var repeat = new PayoutBatchRepeat(240, Amount.ofMinor(6_000_000));
        var approved = client.payoutBatches().approve("salaries-2026-11", repeat);
        System.out.println(approved.status()); // pending
        // end
    }
}
