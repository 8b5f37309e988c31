package com.pesapost;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.security.PrivateKey;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The client of one credential. Make one and keep it, because it keeps the token and connections.
 *
 * <p>Any number of threads may use it at the same time. A call blocks its thread until the last try has ended. If the
 * thread is interrupted, the call ends with its delays and its retries. It throws a {@link PesaPostException} with the
 * code canceled, and the thread stays interrupted.
 */
public final class PesaPost {
    private final CollectionService collections;
    private final PayoutService payouts;
    private final PayoutBatchService payoutBatches;
    private final TransactionService transactions;
    private final AccountService accounts;
    private final EventService events;

    private PesaPost(Connection connection) {
        collections = new CollectionService(connection);
        payouts = new PayoutService(connection);
        payoutBatches = new PayoutBatchService(connection);
        transactions = new TransactionService(connection);
        accounts = new AccountService(connection);
        events = new EventService(connection);
    }

    /**
     * Begins to make a client.
     *
     * @return a builder, whose base URL, client id, client secret and private key must be set
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the calls about collections.
     *
     * @return the calls
     */
    public CollectionService collections() {
        return collections;
    }

    /**
     * Returns the calls about payouts.
     *
     * @return the calls
     */
    public PayoutService payouts() {
        return payouts;
    }

    /**
     * Returns the calls about batches of payouts.
     *
     * @return the calls
     */
    public PayoutBatchService payoutBatches() {
        return payoutBatches;
    }

    /**
     * Returns the calls about the list of transactions.
     *
     * @return the calls
     */
    public TransactionService transactions() {
        return transactions;
    }

    /**
     * Returns the calls about accounts.
     *
     * @return the calls
     */
    public AccountService accounts() {
        return accounts;
    }

    /**
     * Returns the calls about the feed of events.
     *
     * @return the calls
     */
    public EventService events() {
        return events;
    }

    /** Options of a client. One thread uses a builder. */
    public static final class Builder {
        private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(20);
        private static final Duration MAX_TIMEOUT = Duration.ofDays(1);
        private static final Pattern THIS_MACHINE = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");

        private String baseUrl;
        private String clientId;
        private String clientSecret;
        private PrivateKey key;
        private Duration timeout = DEFAULT_TIMEOUT;
        private RetryPolicy retries = RetryPolicy.DEFAULT;
        private Clock clock = Clock.systemUTC();
        private boolean allowHttp;
        private HttpClient http;

        private Builder() {}

        /**
         * Sets scheme and host, such as https://api.example.com. Plain http is only for this machine.
         *
         * @param baseUrl the URL
         * @return this builder
         */
        public Builder baseUrl(String baseUrl) {
            this.baseUrl = baseUrl;
            return this;
        }

        /**
         * Sets the id of the credential.
         *
         * @param clientId the id
         * @return this builder
         */
        public Builder clientId(String clientId) {
            this.clientId = clientId;
            return this;
        }

        /**
         * Sets the secret of the credential.
         *
         * @param clientSecret the secret
         * @return this builder
         */
        public Builder clientSecret(String clientSecret) {
            this.clientSecret = clientSecret;
            return this;
        }

        /**
         * Sets the RSA key. The credential was issued for its public half.
         *
         * @param pem the PEM, in PKCS#8 or PKCS#1; its line feeds may be written as \n
         * @return this builder
         * @throws IllegalArgumentException if it is no RSA key of 2048 bits or more
         */
        public Builder privateKey(String pem) {
            this.key = PrivateKeys.read(pem);
            return this;
        }

        /**
         * Sets the limit for each try, from the connection to the end of the answer; 20 s if it is not set (SDK-3).
         *
         * @param timeout above 0, and a day at most
         * @return this builder
         */
        public Builder timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        /**
         * Sets how often a call is repeated; {@link RetryPolicy#DEFAULT} if it is not set.
         *
         * @param retries the policy
         * @return this builder
         */
        public Builder retries(RetryPolicy retries) {
            this.retries = Objects.requireNonNull(retries, "retries");
            return this;
        }

        /**
         * Sets the clock, within 300 s of the service's; the system's if it is not set (SDK-7).
         *
         * @param clock the clock
         * @return this builder
         */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Allows plain http to another machine, where secrets are then readable.
         *
         * @param allowHttp true to allow it
         * @return this builder
         */
        public Builder allowHttp(boolean allowHttp) {
            this.allowHttp = allowHttp;
            return this;
        }

        /**
         * Sets the HTTP client, for a certificate authority or a proxy of your own.
         *
         * @param http a client that follows no redirects, which is the default of its builder
         * @return this builder
         */
        public Builder httpClient(HttpClient http) {
            this.http = http;
            return this;
        }

        /**
         * Checks the options and makes the client. No request is sent.
         *
         * @return the client
         * @throws IllegalArgumentException if an option is missing or cannot work; it names the option
         */
        public PesaPost build() {
            String origin = origin();
            require(!isEmpty(clientId) && !isEmpty(clientSecret), "clientId or clientSecret is missing");
            require(key != null, "privateKey is missing");
            require(
                    timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(MAX_TIMEOUT) <= 0,
                    "timeout must be above 0, and a day at most");
            HttpClient client = http == null ? HttpClient.newHttpClient() : http;
            require(
                    client.followRedirects() == HttpClient.Redirect.NEVER,
                    "httpClient must follow no redirects, because credentials would reach another server");
            Wire wire = new Wire(client, origin);
            Tokens tokens = new Tokens(wire, clientId, clientSecret, timeout, clock);
            return new PesaPost(new Connection(wire, tokens, key, clock, timeout, retries));
        }

        /** Returns scheme and host. The signature covers the path, so a base must not have its own (SDK-9). */
        private String origin() {
            URI base = read(baseUrl);
            require(
                    base.getHost() != null && Set.of("http", "https").contains(scheme(base)),
                    "baseUrl is no URL; it looks like https://api.example.com");
            String origin = scheme(base) + "://" + base.getHost() + (base.getPort() < 0 ? "" : ":" + base.getPort());
            require(
                    baseUrl.equalsIgnoreCase(origin) || baseUrl.equalsIgnoreCase(origin + "/"),
                    "baseUrl is scheme and host alone; the client adds /api/v4 itself");
            require(
                    scheme(base).equals("https")
                            || allowHttp
                            || THIS_MACHINE.matcher(base.getHost()).matches(),
                    "baseUrl must be https, because secrets travel in it; or set allowHttp");
            return origin;
        }

        private static URI read(String url) {
            try {
                return new URI(url == null ? "" : url);
            } catch (URISyntaxException malformed) {
                throw new IllegalArgumentException("baseUrl is no URL; it looks like https://api.example.com");
            }
        }

        private static String scheme(URI url) {
            return url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        }

        private static boolean isEmpty(String text) {
            return text == null || text.isEmpty();
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
