import com.pesapost.PesaPost;

final class FindPayoutBatch {
    private FindPayoutBatch() {}

    static void run(PesaPost client) {
        // sample
        var batch = client.payoutBatches().get("salaries-2026-11");
        System.out.println(batch.byStatus().get("completed").count());
        // end
    }
}
