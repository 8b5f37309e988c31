import com.pesapost.Amount;
import com.pesapost.NewExpectedPayment;
import com.pesapost.PesaPost;

final class ExpectPayment {
    private ExpectPayment() {}

    static void run(PesaPost client) {
        // sample
        var payment = new NewExpectedPayment(
                "10000001",
                Amount.ofMinor(25_000),
                "KES",
                "mpesa",
                "INV7");
        var expected = client.collections().expect(payment);
        System.out.println(expected.payTo().account()); // 10000001 INV7
        // end
    }
}
