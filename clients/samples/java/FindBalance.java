import com.pesapost.PesaPost;

final class FindBalance {
    private FindBalance() {}

    static void run(PesaPost client) {
        // sample
        var balance = client.accounts().balance("10000001");
        System.out.println(balance.availableMinor());
        // end
    }
}
