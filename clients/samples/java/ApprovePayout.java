import com.pesapost.Amount;
import com.pesapost.PayoutRepeat;
import com.pesapost.PesaPost;

final class ApprovePayout {
    private ApprovePayout() {}

    static void run(PesaPost client) {
        // sample
        // The client of another holder.
        var repeat = new PayoutRepeat("254712345678", Amount.ofMinor(25_000));
        var approved = client.payouts().approve("PAY-1001", repeat);
        System.out.println(approved.status()); // pending
        // end
    }
}
