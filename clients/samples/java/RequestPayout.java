import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PesaPost;

final class RequestPayout {
    private RequestPayout() {}

    static void run(PesaPost client) {
        // sample
        var payout = new NewCollection(
                "10000001",
                "254712345678",
                Amount.ofMinor(25_000),
                "KES",
                "mpesa",
                "PAY-1001");
        var asked = client.payouts().request(payout);
        System.out.println(asked.status()); // pending_approval
        // end
    }
}
