package com.pesapost;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.security.interfaces.RSAPrivateCrtKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static final String NOWHERE = "http://127.0.0.1:1";

    /** The key of PKCS#1 is the end of the same key in PKCS#8, after 26 bytes. */
    private static String pkcs1() {
        byte[] pkcs8 = TestService.keyPair("RSA", 2048).getPrivate().getEncoded();
        return TestService.pem("RSA PRIVATE KEY", Arrays.copyOfRange(pkcs8, 26, pkcs8.length));
    }

    @Test
    void keysOfBothFormsAndWithEscapedLineFeedsAreAccepted() {
        String pkcs1 = pkcs1();
        for (String pem : List.of(
                TestService.KEY, pkcs1, TestService.KEY.replace("\n", "\\n"), TestService.KEY.replace("\n", "\r\n"))) {
            assertTrue(PrivateKeys.read(pem) instanceof RSAPrivateCrtKey);
        }
    }

    private static String pkcs8(String algorithm, int bits) {
        return TestService.pem("PRIVATE KEY", TestService.keyPair(algorithm, bits).getPrivate().getEncoded());
    }

    @Test
    void otherKeysAreRefusedByTheirFault() {
        Map<String, String> keys = Map.of(
                "fewer than 2048 bits", pkcs8("RSA", 1024),
                "not an RSA key", pkcs8("EC", 256),
                "is encrypted", TestService.pem("ENCRYPTED PRIVATE KEY", new byte[] {1}),
                "no private key", "-----BEGIN",
                "no private key in PEM", TestService.pem("PRIVATE KEY", new byte[] {1, 2, 3}),
                "no private key in", TestService.pem("RSA PRIVATE KEY", new byte[] {1, 2, 3}));
        keys.forEach((fault, pem) -> {
            PesaPost.Builder builder = TestService.builder(NOWHERE);
            var refusal = assertThrows(IllegalArgumentException.class, () -> builder.privateKey(pem));
            assertTrue(refusal.getMessage().contains(fault), refusal.getMessage());
        });
    }

    @Test
    void optionsThatCannotWorkAreRefused() {
        HttpClient redirected = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
        List<Consumer<PesaPost.Builder>> changes = List.of(
                builder -> builder.clientId(""),
                builder -> builder.clientSecret(null),
                builder -> builder.baseUrl(null),
                builder -> builder.timeout(Duration.ZERO),
                builder -> builder.timeout(Duration.ofDays(2)),
                builder -> builder.httpClient(redirected),
                builder -> builder.retries(new RetryPolicy(21, Duration.ZERO, Duration.ZERO)),
                builder -> builder.retries(new RetryPolicy(1, Duration.ofMillis(-1), Duration.ZERO)));
        for (Consumer<PesaPost.Builder> change : changes) {
            assertThrows(IllegalArgumentException.class, () -> {
                PesaPost.Builder builder = TestService.builder(NOWHERE);
                change.accept(builder);
                builder.build();
            });
        }
        PesaPost.Builder keyless = PesaPost.builder().baseUrl(NOWHERE).clientId("id").clientSecret("secret");
        assertThrows(IllegalArgumentException.class, keyless::build);
    }

    @Test
    void aBaseUrlMayEndInASlashAndHaveAPort() {
        for (String url : List.of("https://api.example.com/", "HTTPS://api.example.com:8443", "http://[::1]:3000")) {
            TestService.builder(url).build();
        }
        TestService.builder("http://api.example.com").allowHttp(true).build();
    }

    @Test
    void printedOptionsAndClientsShowNoSecret() {
        PesaPost.Builder builder = TestService.builder(NOWHERE);
        String printed = builder + " " + builder.build() + " " + new WebhookVerifier("whsec_1");
        assertFalse(printed.contains("secret-1") || printed.contains("whsec_1") || printed.contains("PRIVATE"));
    }
}
