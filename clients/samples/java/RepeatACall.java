import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.PesaPost;
import com.pesapost.PostOption;

final class RepeatACall {
    private RepeatACall() {}

    static void run(PesaPost client) {
        var order = new NewCollection(
                "10000001",
                "254712345678",
                Amount.ofMinor(25_000),
                "KES",
                "mpesa",
                "INV-1001");
        var storedKey = "order-1001";

        // sample
        // The client repeats the call by itself. Give it the key
        // if another process may have to do so later.
        var created = client.collections().create(
                order, PostOption.idempotencyKey(storedKey));
        System.out.println(created.replayed());
        // end
    }
}
