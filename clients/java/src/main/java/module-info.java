/** The client of PesaPost V4. */
module com.pesapost {
    requires transitive java.net.http;
    // Only WebhookHandler needs it.
    requires static transitive jdk.httpserver;

    exports com.pesapost;
}
