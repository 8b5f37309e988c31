package com.pesapost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each component of a record is the member of its own name. A long constructor is easily called in another order. */
class MappingTest {
    private static final String TRANSACTION = """
            "type":"1","reference":"2","status":"3","amount_minor":4,"currency":"5","fee_minor":6,"id":"7",
            "account_no":"8","channel":"9","rail_reference":"10","receipt":"11","failure_code":"12","under_review":true,
            "created_at":"2026-01-13T00:00:00Z","completed_at":"2026-01-14T00:00:00Z","paid_at":"2026-01-15T00:00:00Z",
            "paid_at_known":false,"batch":"16","waiting_for_float":true,"paused":false,"origin":"17",
            "refund_status":"18","refunded_minor":19,"refund_of":"20","requested_minor":21""";
    private static final String ALL = "{" + TRANSACTION + """
            ,"count":22,"posted_minor":23,"reserved_minor":24,"available_minor":25,"mode":"26","sequence":27,
            "next_after_sequence":28,"next_cursor":"29","pay_to":{"pay_bill":"30","account":"31"},
            "by_status":{"pending":{"count":32,"amount_minor":33}}""" + ",\"item\":{" + TRANSACTION + "},\"data\":";

    /** Facts of the headers, and of the whole answer. */
    private static final Set<String> NO_MEMBERS = Set.of("existing", "replayed", "ledger_position", "members", "text");

    private final TestService service = new TestService();
    private final PesaPost client = service.client();

    @AfterEach
    void stop() {
        service.close();
    }

    private void answerWith(String data) {
        service.turn = exchange -> {
            exchange.getResponseHeaders().set("X-PP-Ledger-Position", "41");
            exchange.getResponseHeaders().set("X-PP-Existing", "true");
            exchange.getResponseHeaders().set("Idempotent-Replayed", "true");
            TestService.answer(exchange, 200, ALL + data + "}");
        };
    }

    @Test
    void ofAnAnswer() throws ReflectiveOperationException {
        answerWith("[]");
        NewCollection item = new NewCollection("1", "2", Amount.ZERO, "KES", "mpesa", "R");
        NewExpectedPayment payment = new NewExpectedPayment("1", Amount.ZERO, "KES", "mpesa", "R");
        for (Record answer : List.of(
                client.collections().create(item),
                client.collections().expect(payment),
                client.collections().get("R"),
                client.collections().receipt("R"),
                client.payouts().cancel("R"),
                client.payoutBatches().create(new NewPayoutBatch("R", "1", "KES", "mpesa", List.of())),
                client.payoutBatches().cancel("R"),
                client.payoutBatches().get("R"),
                client.accounts().balance("1"))) {
            compare(answer, members(answer));
        }
        CreatedItem created = client.collections().create(item);
        assertTrue(created.existing() && created.replayed());
        assertEquals("41", created.ledgerPosition());
    }

    @Test
    void ofAPage() throws ReflectiveOperationException {
        answerWith("[" + ALL + "{" + TRANSACTION + "}}]");
        TransactionsPage transactions = client.transactions().list(TransactionFilters.NONE);
        EventsPage events = client.events().list(EventFilters.after(0));
        compare(transactions, members(transactions));
        compare(events, members(events));
        assertEquals("41", events.ledgerPosition());
    }

    @Test
    void ofEachFilter() {
        List<String> queries = new ArrayList<>();
        service.turn = exchange -> {
            queries.add(exchange.getRequestURI().getRawQuery());
            TestService.answer(exchange, 200, "{\"data\":[],\"next_cursor\":null}");
        };
        client.transactions().list(TransactionFilters.NONE
                .withType("a")
                .withStatus("b")
                .between(LocalDate.of(2026, 1, 2), LocalDate.of(2026, 1, 3))
                .withDateField("c")
                .withBatch("d")
                .withOrigin("e")
                .withLimit(4)
                .withCursor("f"));
        client.events().list(EventFilters.after(5).withLimit(6));
        assertEquals(
                List.of(
                        "batch=d&cursor=f&date_field=c&from=2026-01-02&limit=4&origin=e&status=b&to=2026-01-03&type=a",
                        "after_sequence=5&limit=6"),
                queries);
    }

    private static Map<?, ?> members(Record answer) throws ReflectiveOperationException {
        return (Map<?, ?>) answer.getClass().getMethod("members").invoke(answer);
    }

    private static void compare(Record answer, Map<?, ?> members) throws ReflectiveOperationException {
        for (RecordComponent component : answer.getClass().getRecordComponents()) {
            String name = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            if (!NO_MEMBERS.contains(name)) {
                compare(name, component.getAccessor().invoke(answer), members.get(name));
            }
        }
    }

    private static void compare(String name, Object read, Object member) throws ReflectiveOperationException {
        if (read instanceof Record answer && member instanceof Map<?, ?> members) {
            compare(answer, members);
        } else if (read instanceof List<?> items && member instanceof List<?> members) {
            assertEquals(members.size(), items.size());
            for (int index = 0; index < items.size(); index++) {
                compare(name, items.get(index), members.get(index));
            }
        } else if (read instanceof Map<?, ?> items && member instanceof Map<?, ?> members) {
            for (Object key : members.keySet()) {
                compare(name, items.get(key), members.get(key));
            }
        } else {
            assertEquals(member, read instanceof Instant time ? time.toString() : read, name);
        }
    }
}
