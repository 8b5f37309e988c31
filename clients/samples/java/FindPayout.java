import com.pesapost.PesaPost;

final class FindPayout {
    private FindPayout() {}

    static void run(PesaPost client) {
        // sample
        var item = client.payouts().get("PAY-1001");
        System.out.println(item.status() + " " + item.failureCode());
        // end
    }
}
