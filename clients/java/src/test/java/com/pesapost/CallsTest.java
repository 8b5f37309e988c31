package com.pesapost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CallsTest {
    private static final NewCollection COLLECTION =
            new NewCollection("10000001", "254712345678", Amount.ofMinor(25_000), "KES", "mpesa", "INV-1");

    private final TestService service = new TestService();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
        service.close();
    }

    @Test
    void manyThreadsShareOneClientAndOneToken() throws Exception {
        PesaPost client = service.client();
        List<Callable<Transaction>> calls = new ArrayList<>();
        for (int call = 0; call < 32; call++) {
            calls.add(() -> client.collections().get("INV-1"));
        }
        for (Future<Transaction> answer : threads.invokeAll(calls)) {
            assertEquals(Amount.ofMinor(25_000), answer.get().amountMinor());
        }
        assertEquals(1, service.tokenRequests.size());
        assertEquals(32, new HashSet<>(service.nonces).size());
    }

    @Test
    void threadsWithTheSameRefusedTokenRenewItOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(8);
        service.tokenTurn = exchange -> TestService.answer(
                exchange,
                200,
                "{\"access_token\":\"token-" + service.tokenRequests.size() + "\",\"expires_in\":3600}");
        TestService.Turn usual = service.turn;
        service.turn = exchange -> {
            if (!exchange.getRequestHeaders().getFirst("Authorization").equals("Bearer token-1")) {
                usual.answer(exchange);
                return;
            }
            try {
                together.await();
            } catch (BrokenBarrierException stopped) {
                return;
            }
            TestService.answer(exchange, 401, "{\"error\":\"invalid_token\"}");
        };
        PesaPost client = service.client();
        Callable<Transaction> call = () -> client.collections().get("INV-1");
        for (Future<Transaction> answer : threads.invokeAll(Collections.nCopies(8, call))) {
            assertEquals("completed", answer.get().status());
        }
        assertEquals(2, service.tokenRequests.size());
    }

    @Test
    void aTokenMayBeForgottenTwice() {
        Wire wire = new Wire(HttpClient.newHttpClient(), service.url());
        Tokens tokens = new Tokens(wire, "client-1", "secret-1", Duration.ofMinutes(1), Clock.systemUTC());
        Tokens.Token refused = tokens.current(Duration.ofMinutes(1));
        tokens.forget(refused);
        tokens.forget(refused);
        tokens.current(Duration.ofMinutes(1));
        assertEquals(2, service.tokenRequests.size());
    }

    @Test
    void anInterruptedThreadEndsItsCall() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        service.turn = exchange -> {
            arrived.countDown();
            new CountDownLatch(1).await();
        };
        PesaPostException failure = interrupted(arrived, client -> client.payouts()
                .request(COLLECTION, PostOption.idempotencyKey("key-1")));
        assertEquals("key-1", failure.idempotencyKey());
    }

    @Test
    void anInterruptedThreadEndsADelay() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        service.turn = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "60");
            TestService.answer(exchange, 503, "");
            answered.countDown();
        };
        interrupted(answered, client -> client.collections().get("INV-1"));
        assertEquals(1, service.nonces.size());
    }

    @Test
    void anInterruptedWaitIsNoUnsettledCollection() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        service.turn = exchange -> {
            TestService.answer(exchange, 200, "{\"status\":\"pending\",\"amount_minor\":1}");
            answered.countDown();
        };
        interrupted(answered, client -> client.collections().waitUntilSettled("INV-1"));
    }

    /** Interrupts a call, and returns its failure. */
    private PesaPostException interrupted(CountDownLatch when, Consumer<PesaPost> call) throws Exception {
        PesaPost client = service.client();
        CountDownLatch ended = new CountDownLatch(1);
        List<PesaPostException> failures = new ArrayList<>();
        List<Boolean> flags = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                call.accept(client);
            } catch (PesaPostException failure) {
                failures.add(failure);
            }
            flags.add(Thread.currentThread().isInterrupted());
            ended.countDown();
        });
        thread.start();
        when.await();
        thread.interrupt();
        ended.await();
        PesaPostException failure = failures.get(0);
        assertEquals("canceled", failure.code());
        assertEquals(ErrorKind.CANCELED, failure.kind());
        assertTrue(failure.getCause() instanceof InterruptedException);
        assertEquals(List.of(true), flags);
        return failure;
    }

    @Test
    void oneThreadsEndDoesNotEndTheOthersTokenRequest() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        TestService.Turn token = service.tokenTurn;
        service.tokenTurn = exchange -> {
            arrived.countDown();
            released.await();
            token.answer(exchange);
        };
        PesaPost client = service.client();
        Future<Transaction> other = threads.submit(() -> client.collections().get("INV-1"));
        arrived.await();
        Future<Boolean> own = threads.submit(() -> {
            Thread.currentThread().interrupt();
            assertThrows(PesaPostException.class, () -> client.collections().get("INV-1"));
            return Thread.interrupted();
        });
        assertTrue(own.get());
        released.countDown();
        assertEquals("completed", other.get().status());
        assertEquals(1, service.tokenRequests.size());
    }

    @Test
    void eachTryOnAKeptConnectionHasItsOwnNonce() {
        List<Consumer<PesaPost>> methods = List.of(
                client -> client.accounts().balance("10000001"), client -> client.collections().create(COLLECTION));
        for (Consumer<PesaPost> method : methods) {
            AtomicInteger calls = new AtomicInteger();
            TestService.Turn usual = service.turn;
            service.turn = exchange -> {
                // The connection is kept after the first call. Without an answer, the second one is cut.
                if (calls.incrementAndGet() != 2) {
                    usual.answer(exchange);
                }
            };
            service.nonces.clear();
            PesaPost client = service.client();
            method.accept(client);
            method.accept(client);
            assertEquals(3, service.nonces.size());
            assertEquals(3, new HashSet<>(service.nonces).size());
            service.turn = usual;
        }
    }

    @Test
    void wordsThatNoRequestCanCarryAreMistakes() {
        assertThrows(IllegalArgumentException.class, () -> ReadOption.minPosition("1\r\nX: y"));
        assertThrows(IllegalArgumentException.class, () -> PostOption.idempotencyKey("two words"));
        PesaPost client = service.client();
        TransactionFilters filters = TransactionFilters.NONE.withBatch("\ud800");
        assertThrows(IllegalArgumentException.class, () -> client.transactions().list(filters));
        NewCollection phoneless = new NewCollection("1", null, Amount.ofMinor(1), "KES", "mpesa", "INV-1");
        assertThrows(IllegalArgumentException.class, () -> client.collections().create(phoneless));
        assertThrows(IllegalArgumentException.class, () -> NewRefund.part("R-1", null, "254712345678"));
        assertEquals(List.of(), service.tokenRequests);
    }

    @Test
    void aBrokenConnectionHasItsCause() {
        PesaPost client = TestService.builder("http://127.0.0.1:1")
                .retries(new RetryPolicy(0, Duration.ZERO, Duration.ZERO))
                .build();
        var failure = assertThrows(PesaPostException.class, () -> client.collections().get("INV-1"));
        assertEquals("network_failure", failure.code());
        assertTrue(failure.getCause() instanceof ConnectException, String.valueOf(failure.getCause()));
    }

    @Test
    void aKnownMemberOfAnotherTypeIsAnUnexpectedAnswer() {
        for (String body : List.of(
                "{\"amount_minor\":1.5}", "{\"status\":7}", "{\"created_at\":\"now\"}", "{\"paused\":\"no\"}")) {
            service.turn = exchange -> TestService.answer(exchange, 200, body);
            PesaPost client = service.client();
            var failure = assertThrows(PesaPostException.class, () -> client.collections().get("INV-1"), body);
            assertEquals("unexpected_answer", failure.code());
        }
    }

    @Test
    void aFailureNamesItsCallAndCanBeSerialized() throws Exception {
        service.turn = exchange -> {
            exchange.getResponseHeaders().set("X-Request-Id", "r-1");
            exchange.getResponseHeaders().set("X-PP-Differs", "phone, amount_minor");
            TestService.answer(exchange, 202, "{\"reference\":\"INV-1\",\"status\":\"completed\"}");
        };
        PesaPost client = service.client();
        var failure = assertThrows(DifferentItemException.class, () -> client.collections().create(COLLECTION));
        assertEquals(
                "POST /api/v4/collections: INV-1 is an earlier item of another phone, amount_minor; nothing was done",
                failure.getMessage());
        DifferentItemException copy = (DifferentItemException) copied(failure);
        assertEquals("different_collection", copy.code());
        assertEquals("INV-1", copy.reference());
        assertEquals(List.of("phone", "amount_minor"), copy.differs());
        assertEquals(failure.idempotencyKey(), copy.idempotencyKey());
        assertNotNull(copy.getMessage());
    }

    private static Object copied(Object value) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    @Test
    void eachWalkOfAListBeginsAtItsFirstPage() throws ExecutionException {
        service.turn = exchange -> {
            boolean isFirst = !exchange.getRequestURI().getRawQuery().contains("cursor");
            String page = isFirst
                    ? "{\"data\":[{\"reference\":\"B\"}],\"next_cursor\":\"c\"}"
                    : "{\"data\":[{\"reference\":\"A\"}],\"next_cursor\":null}";
            TestService.answer(exchange, 200, page);
        };
        Listing<Transaction> all = service.client().transactions().all(TransactionFilters.NONE.withLimit(1));
        List<String> references = new ArrayList<>();
        for (Transaction item : all) {
            references.add(item.reference());
        }
        all.stream().limit(1).forEach(item -> references.add(item.reference()));
        assertEquals(List.of("B", "A", "B"), references);
        assertEquals(3, service.nonces.size());
    }
}
