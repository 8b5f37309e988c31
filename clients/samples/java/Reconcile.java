import com.pesapost.Amount;
import com.pesapost.PesaPost;
import com.pesapost.TransactionFilters;
import java.time.LocalDate;

final class Reconcile {
    private Reconcile() {}

    static void run(PesaPost client) {
        // sample
        var filters = TransactionFilters.NONE
                .withType("collection")
                .withStatus("completed")
                .withDateField("paid_at") // the day of M-Pesa's statement
                .onDay(LocalDate.parse(System.getenv("DAY")));
        int count = 0;
        var amount = Amount.ZERO;
        var fees = Amount.ZERO;
        for (var item : client.transactions().all(filters)) {
            count++;
            amount = amount.plus(item.amountMinor());
            fees = fees.plus(item.feeMinor());
        }
        System.out.printf(
                "%d completed, amount %s, fees %s%n", count, amount, fees);
        // end
    }
}
