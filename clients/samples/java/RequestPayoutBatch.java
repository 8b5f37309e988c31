import com.pesapost.Amount;
import com.pesapost.NewPayoutBatch;
import com.pesapost.PesaPost;
import java.util.List;

final class RequestPayoutBatch {
    private RequestPayoutBatch() {}

    static void run(PesaPost client) {
        // sample
        var salary = new NewPayoutBatch.Item(
                "salary-7", "254712345678", Amount.ofMinor(25_000));
        var request = new NewPayoutBatch(
                "salaries-2026-11",
                "10000001",
                "KES",
                "mpesa",
                List.of(salary));
        var batch = client.payoutBatches().create(request);
        System.out.println(batch.status()); // pending_approval
        // end
    }
}
