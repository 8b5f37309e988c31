import com.pesapost.EventFilters;
import com.pesapost.PesaPost;

final class ListEvents {
    private ListEvents() {}

    static void run(PesaPost client) {
        // sample
        // Each event after the last one that you handled.
        var handled = EventFilters.after(41);
        for (var event : client.events().all(handled)) {
            System.out.println(event.sequence() + " " + event.type());
        }
        // end
    }
}
