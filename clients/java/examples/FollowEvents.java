import com.pesapost.Event;
import com.pesapost.EventFilters;
import com.pesapost.PesaPost;
import com.pesapost.WebhookHandler;
import com.pesapost.WebhookReceiver;
import com.pesapost.WebhookVerifier;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Handles every event once and in order, even if deliveries are lost: {@code java FollowEvents port last-sequence}. A
 * webhook only signals that there is an event, and the feed contains it.
 */
final class FollowEvents {
    private final PesaPost client = Demo.client();

    /** In your service, use a row that is written in the transaction that does the work. */
    private long last;

    private FollowEvents(long last) {
        this.last = last;
    }

    public static void main(String[] words) throws IOException {
        FollowEvents follower = new FollowEvents(Long.parseLong(words[1]));
        // Covers the events that came while this program was not running. Do the same each minute, because no later
        // webhook shows a gap at the end.
        follower.catchUp();
        WebhookVerifier verifier = new WebhookVerifier(Demo.setting("PESAPOST_WEBHOOK_SECRET").split(","));
        WebhookReceiver receiver = new WebhookReceiver(verifier, follower::receive);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/webhooks", new WebhookHandler(receiver));
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }

    private synchronized void receive(Event event) {
        if (event.sequence() == last + 1) {
            handle(event);
        } else if (event.sequence() > last) {
            System.out.println("gap: " + (last + 1) + " to " + (event.sequence() - 1));
            catchUp();
        }
        if (event.sequence() > last) {
            // The feed may be a moment behind. The answer is 500, and the event is delivered again.
            throw new IllegalStateException("the feed has no event " + event.sequence() + " yet");
        }
    }

    private synchronized void catchUp() {
        client.events().all(EventFilters.after(last)).forEach(this::handle);
    }

    private void handle(Event event) {
        System.out.println(event.sequence() + " " + event.type() + " " + event.data().reference());
        last = event.sequence();
    }
}
