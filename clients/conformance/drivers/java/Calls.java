import com.pesapost.EventFilters;
import com.pesapost.Listing;
import com.pesapost.NewCollection;
import com.pesapost.NewExpectedPayment;
import com.pesapost.NewPayoutBatch;
import com.pesapost.NewRefund;
import com.pesapost.PayoutBatchRepeat;
import com.pesapost.PayoutRepeat;
import com.pesapost.PesaPost;
import com.pesapost.TransactionFilters;
import java.time.Duration;
import java.util.List;

/** The calls of a client. */
final class Calls {
    private Calls() {}

    static Object run(PesaPost client, Args args) {
        String[] names = args.text("method").split("\\.");
        return switch (names[0]) {
            case "collections" -> collections(client, names[1], args);
            case "payouts" -> payouts(client, names[1], args);
            case "payout_batches" -> payoutBatches(client, names[1], args);
            case "transactions" -> transactions(client, names[1], args);
            case "events" -> events(client, names[1], args);
            default -> client.accounts().balance(args.name(), args.reading());
        };
    }

    private static Object collections(PesaPost client, String method, Args args) {
        return switch (method) {
            case "create" -> client.collections().create(newCollection(args.argument(0)), args.posting());
            case "expect" -> client.collections().expect(newExpectedPayment(args.argument(0)), args.posting());
            case "refund" -> client.collections().refund(args.name(), newRefund(args.argument(1)), args.posting());
            case "get" -> client.collections().get(args.name());
            case "receipt" -> client.collections().receipt(args.name());
            default -> client.collections()
                    .waitUntilSettled(args.name(), args.milliseconds("timeout_ms", Duration.ofSeconds(120)));
        };
    }

    private static Object payouts(PesaPost client, String method, Args args) {
        Args repeated = args.argument(1);
        PayoutRepeat repeat = new PayoutRepeat(repeated.text("phone"), repeated.amount("amount_minor"));
        return switch (method) {
            case "request" -> client.payouts().request(newCollection(args.argument(0)), args.posting());
            case "approve" -> client.payouts().approve(args.name(), repeat, args.posting());
            case "reject" -> client.payouts().reject(args.name(), repeat, args.posting());
            case "cancel" -> client.payouts().cancel(args.name(), args.posting());
            default -> client.payouts().get(args.name());
        };
    }

    private static Object payoutBatches(PesaPost client, String method, Args args) {
        Args repeated = args.argument(1);
        PayoutBatchRepeat repeat = new PayoutBatchRepeat(repeated.integer("count"), repeated.amount("amount_minor"));
        return switch (method) {
            case "create" -> client.payoutBatches().create(newPayoutBatch(args.argument(0)), args.posting());
            case "approve" -> client.payoutBatches().approve(args.name(), repeat, args.posting());
            case "reject" -> client.payoutBatches().reject(args.name(), repeat, args.posting());
            case "cancel" -> client.payoutBatches().cancel(args.name(), args.posting());
            default -> client.payoutBatches().get(args.name(), args.reading());
        };
    }

    private static Object transactions(PesaPost client, String method, Args args) {
        TransactionFilters filters = filters(args.argument(0));
        return switch (method) {
            case "list" -> client.transactions().list(filters, args.reading());
            case "pages" -> taken(client.transactions().pages(filters, args.reading()), args);
            default -> taken(client.transactions().all(filters, args.reading()), args);
        };
    }

    private static Object events(PesaPost client, String method, Args args) {
        long after = args.list("arguments").isEmpty() ? 0 : (Long) args.argument(0).given();
        EventFilters filters = new EventFilters(after, args.integer("limit"));
        return method.equals("list")
                ? client.events().list(filters, args.reading())
                : taken(client.events().all(filters, args.reading()), args);
    }

    /** Reads a list, no further than asked. */
    private static <T> List<T> taken(Listing<T> listing, Args args) {
        return args.has("take")
                ? listing.stream().limit(args.integer("take")).toList()
                : listing.stream().toList();
    }

    private static NewCollection newCollection(Args item) {
        return new NewCollection(
                item.text("account_no"),
                item.text("phone"),
                item.amount("amount_minor"),
                item.text("currency"),
                item.text("channel"),
                item.text("reference"));
    }

    private static NewExpectedPayment newExpectedPayment(Args item) {
        return new NewExpectedPayment(
                item.text("account_no"),
                item.amount("amount_minor"),
                item.text("currency"),
                item.text("channel"),
                item.text("reference"));
    }

    private static NewRefund newRefund(Args item) {
        return new NewRefund(item.text("reference"), item.amount("amount_minor"), item.text("phone"));
    }

    private static NewPayoutBatch newPayoutBatch(Args batch) {
        List<NewPayoutBatch.Item> items = batch.list("items").stream()
                .map(Args::new)
                .map(item -> new NewPayoutBatch.Item(
                        item.text("reference"), item.text("phone"), item.amount("amount_minor")))
                .toList();
        return new NewPayoutBatch(
                batch.text("reference"),
                batch.text("account_no"),
                batch.text("currency"),
                batch.text("channel"),
                items);
    }

    private static TransactionFilters filters(Args given) {
        return new TransactionFilters(
                given.text("type"),
                given.text("status"),
                given.day("from"),
                given.day("to"),
                given.text("date_field"),
                given.text("batch"),
                given.text("origin"),
                given.integer("limit"),
                given.text("cursor"));
    }
}
