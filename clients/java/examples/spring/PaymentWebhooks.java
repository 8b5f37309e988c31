import com.pesapost.WebhookReceiver;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** A controller of Spring MVC. The receiver is a bean of yours. */
@RestController
public class PaymentWebhooks {
    private final WebhookReceiver receiver;

    public PaymentWebhooks(WebhookReceiver receiver) {
        this.receiver = receiver;
    }

    @PostMapping("/webhooks")
    public ResponseEntity<Void> receive(
            @RequestBody byte[] body, @RequestHeader MultiValueMap<String, String> headers) {
        return ResponseEntity.status(receiver.receive(body, headers)).build();
    }
}
