import com.pesapost.PesaPost;
import com.pesapost.Transaction;
import com.pesapost.WebhookHandler;
import com.pesapost.WebhookReceiver;
import com.pesapost.WebhookVerifier;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

final class ReceiveWebhooks {
    private ReceiveWebhooks() {}

    static void run(PesaPost client) throws IOException {
        // sample
        var verifier =
                new WebhookVerifier(System.getenv("WEBHOOK_SECRET"));
        // It calls back once the signature has been verified.
        var receiver = new WebhookReceiver(verifier, event ->
                save(event.id(), event.type(), event.data()));
        int port = Integer.parseInt(System.getenv("PORT"));
        var server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/webhooks", new WebhookHandler(receiver));
        server.start();
        // end
    }

    private static void save(String id, String type, Transaction data) {
        System.out.println(type + " " + data.reference());
    }
}
