import com.pesapost.PesaPost;

final class CancelPayoutBatch {
    private CancelPayoutBatch() {}

    static void run(PesaPost client) {
        // sample
        var cancelled =
                client.payoutBatches().cancel("salaries-2026-11");
        System.out.println(cancelled.status());
        // end
    }
}
