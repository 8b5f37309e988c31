import com.pesapost.PesaPost;
import com.pesapost.ReadOption;
import com.pesapost.TransactionFilters;

final class ReadYourWrites {
    private ReadYourWrites() {}

    static void run(PesaPost client) {
        // sample
        var page = client.transactions().list(TransactionFilters.NONE);
        var balance = client.accounts().balance(
                "10000001",
                ReadOption.minPosition(page.ledgerPosition()));
        System.out.println(balance.availableMinor());
        // end
    }
}
