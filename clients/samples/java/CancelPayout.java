import com.pesapost.PesaPost;

final class CancelPayout {
    private CancelPayout() {}

    static void run(PesaPost client) {
        // sample
        var cancelled = client.payouts().cancel("PAY-1001");
        System.out.println(cancelled.status());
        // end
    }
}
