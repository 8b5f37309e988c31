import com.pesapost.Amount;
import com.pesapost.ErrorKind;
import com.pesapost.NewCollection;
import com.pesapost.PesaPost;
import com.pesapost.PesaPostException;

final class HandleErrors {
    private HandleErrors() {}

    static void run(PesaPost client) {
        var order = new NewCollection(
                "10000001",
                "0712345678",
                Amount.ofMinor(25_000),
                "KES",
                "mpesa",
                "INV-1001");

        // sample
        try {
            client.collections().create(order);
        } catch (PesaPostException failure) {
            if (failure.kind() == ErrorKind.REQUEST) {
                System.out.println(failure.detail());
            } else if ("rail_rejected".equals(failure.code())) {
                System.out.println("no push");
            } else {
                System.out.println(
                        "repeat with " + failure.idempotencyKey());
            }
        }
        // end
    }
}
