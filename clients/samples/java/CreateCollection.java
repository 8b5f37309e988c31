import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PesaPost;

final class CreateCollection {
    private CreateCollection() {}

    static void run(PesaPost client) {
        // sample
        var order = new NewCollection(
                "10000001",
                "254712345678",
                Amount.ofMinor(25_000), // KES 250.00
                "KES",
                "mpesa",
                "INV-1001");
        var created = client.collections().create(order);
        System.out.println(created.status()); // pending
        // end
    }
}
