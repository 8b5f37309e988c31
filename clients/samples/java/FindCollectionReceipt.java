import com.pesapost.PesaPost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class FindCollectionReceipt {
    private FindCollectionReceipt() {}

    static void run(PesaPost client) throws IOException {
        // sample
        var receipt = client.collections().receipt("INV-1001");
        // Store it unchanged.
        Files.writeString(Path.of("INV-1001.json"), receipt.text());
        // end
    }
}
