import com.pesapost.Event;
import com.pesapost.EventFilters;
import com.pesapost.PesaPost;
import com.pesapost.WebhookHandler;
import com.pesapost.WebhookReceiver;
import com.pesapost.WebhookVerifier;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

final class FollowEvents {
    private FollowEvents() {}

    static void run(PesaPost client) throws IOException {
        // sample
        // In your service: a row that is written with the work.
        var file = Path.of("last-sequence.txt");
        var oneAtATime = new Object();

        // A webhook only says that there are events. The feed has them all.
        WebhookReceiver.OnEvent catchUp = webhook -> {
            synchronized (oneAtATime) {
                long last = Files.exists(file)
                        ? Long.parseLong(Files.readString(file))
                        : 0;
                var missed = EventFilters.after(last);
                for (var event : client.events().all(missed)) {
                    handle(event);
                    last = event.sequence();
                    Files.writeString(file, Long.toString(last));
                }
                // The feed may be a moment behind.
                // After a 500, the webhook is sent again.
                if (last < webhook.sequence()) {
                    throw new IllegalStateException("the feed is behind");
                }
            }
        };
        var verifier =
                new WebhookVerifier(System.getenv("WEBHOOK_SECRET"));
        var receiver = new WebhookReceiver(verifier, catchUp);
        int port = Integer.parseInt(System.getenv("PORT"));
        var server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/webhooks", new WebhookHandler(receiver));
        server.start();
        // end
    }

    private static void handle(Event event) {
        System.out.println(
                event.sequence() + " " + event.type() + " " + event.data().reference());
    }
}
