import com.pesapost.Amount;
import com.pesapost.PayoutRepeat;
import com.pesapost.PesaPost;

final class RejectPayout {
    private RejectPayout() {}

    static void run(PesaPost client) {
        // sample
        // The client of another holder.
        var repeat = new PayoutRepeat("254712345678", Amount.ofMinor(25_000));
        var rejected = client.payouts().reject("PAY-1001", repeat);
        System.out.println(rejected.status()); // rejected
        // end
    }
}
