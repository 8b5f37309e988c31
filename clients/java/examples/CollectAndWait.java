import com.pesapost.Amount;
import com.pesapost.NewCollection;
import com.pesapost.NotSettledException;
import com.pesapost.PesaPost;
import com.pesapost.Transaction;

/** Collects KES 250.00 from a phone, and waits for the customer: {@code java CollectAndWait [phone]}. */
final class CollectAndWait {
    private CollectAndWait() {}

    public static void main(String[] words) {
        PesaPost client = Demo.client();
        String reference = "EXAMPLE-" + System.nanoTime();
        client.collections()
                .create(new NewCollection(
                        Demo.setting("PESAPOST_ACCOUNT_NO"),
                        words.length > 0 ? words[0] : "254712345678",
                        Amount.ofMinor(25_000),
                        "KES",
                        "mpesa",
                        reference));
        try {
            Transaction settled = client.collections().waitUntilSettled(reference);
            System.out.println(
                    settled.status().equals("completed")
                            ? "completed: " + settled.amountMinor() + ", fee " + settled.feeMinor()
                            : "failed: " + settled.failureCode());
        } catch (NotSettledException late) {
            // The customer may still pay. Do not collect under another reference.
            System.out.println("not known yet: " + late.getMessage());
        }
    }
}
