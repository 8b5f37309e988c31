package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A scripted PesaPost: it gives out tokens, and {@code turn} answers everything else. */
final class TestService implements AutoCloseable {
    /** Answers a request. */
    interface Turn {
        void answer(HttpExchange exchange) throws IOException, InterruptedException;
    }

    static final String KEY = pem("PRIVATE KEY", keyPair("RSA", 2048).getPrivate().getEncoded());

    final List<String> nonces = new CopyOnWriteArrayList<>();
    final List<String> tokenRequests = new CopyOnWriteArrayList<>();
    final HttpServer server;
    Turn tokenTurn = exchange -> answer(exchange, 200, "{\"access_token\":\"token-1\",\"expires_in\":3600}");
    Turn turn = exchange -> answer(exchange, 200, "{\"status\":\"completed\",\"amount_minor\":25000}");

    private final ExecutorService threads = Executors.newCachedThreadPool();

    TestService() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        server.setExecutor(threads);
        server.createContext("/api/v4/oauth/token", exchange -> {
            tokenRequests.add(exchange.getRequestMethod());
            run(tokenTurn, exchange);
        });
        server.createContext("/api/v4/", exchange -> {
            nonces.add(exchange.getRequestHeaders().getFirst("X-PP-Nonce"));
            run(turn, exchange);
        });
        server.start();
    }

    private static void run(Turn turn, HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            turn.answer(exchange);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns a client with quick retries. */
    PesaPost client() {
        return builder(url()).build();
    }

    static PesaPost.Builder builder(String url) {
        return PesaPost.builder()
                .baseUrl(url)
                .clientId("client-1")
                .clientSecret("secret-1")
                .privateKey(KEY)
                .timeout(Duration.ofMinutes(1))
                .retries(new RetryPolicy(4, Duration.ofMillis(1), Duration.ofMinutes(1)));
    }

    static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    static KeyPair keyPair(String algorithm, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(bits);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    static String pem(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }

    @Override
    public void close() {
        threads.shutdownNow();
        server.stop(0);
    }
}
