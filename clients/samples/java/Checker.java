import com.pesapost.PesaPost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class Checker {
    private Checker() {}

    static PesaPost make() throws IOException {
        return PesaPost.builder()
                .baseUrl(System.getenv("BASE_URL"))
                .clientId(System.getenv("CHECKER_ID"))
                .clientSecret(System.getenv("CHECKER_SECRET"))
                .privateKey(Files.readString(Path.of("checker.key")))
                .build();
    }
}
