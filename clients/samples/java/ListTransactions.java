import com.pesapost.PesaPost;
import com.pesapost.TransactionFilters;
import java.time.LocalDate;

final class ListTransactions {
    private ListTransactions() {}

    static void run(PesaPost client) {
        // sample
        var filters = TransactionFilters.NONE
                .withStatus("completed")
                .between(
                        LocalDate.of(2026, 1, 1),
                        LocalDate.of(2026, 1, 31));
        // Page after page, newest first.
        for (var item : client.transactions().all(filters)) {
            System.out.println(
                    item.reference() + " " + item.amountMinor());
        }
        // end
    }
}
