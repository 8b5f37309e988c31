import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PesaPost;
import java.util.UUID;

final class Collect {
    private Collect() {}

    static void run(PesaPost client) {
        // sample
        var order = new NewCollection(
                System.getenv("ACCOUNT_NO"),
                "254712345678",
                Amount.ofMinor(25_000), // KES 250.00
                "KES",
                "mpesa",
                "INV-" + UUID.randomUUID());
        var created = client.collections().create(order);
        System.out.println(created.status()); // pending

        // Waits for up to 120 s.
        var settled = client.collections()
                .waitUntilSettled(created.reference());
        System.out.println(
                settled.status() + " " + settled.amountMinor());
        // end
    }
}
