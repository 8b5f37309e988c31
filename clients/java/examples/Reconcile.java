import com.pesapost.Amount;
import com.pesapost.Transaction;
import com.pesapost.TransactionFilters;
import com.pesapost.TransactionsPage;
import java.time.LocalDate;

/**
 * Compares a day's completed collections with the sums of a statement: {@code java Reconcile 2026-01-31 500000 7500},
 * the amounts and the fees in minor units.
 */
final class Reconcile {
    private Reconcile() {}

    public static void main(String[] words) {
        TransactionFilters day = TransactionFilters.NONE
                .withType("collection")
                .withStatus("completed")
                // The rail's own days, as its statement has them.
                .withDateField("paid_at")
                .onDay(LocalDate.parse(words[0]))
                .withLimit(100);
        Amount amounts = Amount.ZERO;
        Amount fees = Amount.ZERO;
        for (TransactionsPage page : Demo.client().transactions().pages(day)) {
            for (Transaction paid : page.data()) {
                amounts = amounts.plus(paid.amountMinor());
                fees = fees.plus(paid.feeMinor());
            }
        }
        compare("amounts", amounts, Amount.parse(words[1]));
        compare("fees", fees, Amount.parse(words[2]));
    }

    private static void compare(String name, Amount ours, Amount theirs) {
        System.out.println(
                ours.equals(theirs) ? name + " agree: " + ours : name + " differ by " + ours.minus(theirs));
    }
}
