import com.pesapost.PesaPost;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program: it runs the sample whose file is its argument, such as CreateCollection.java. */
final class Client {
    private Client() {}

    public static void main(String[] words) throws Exception {
        // sample
        var env = System.getenv();
        // It gets the token, keeps it and renews it.
        var client = PesaPost.builder()
                .baseUrl(env.get("BASE_URL"))
                .clientId(env.get("CLIENT_ID"))
                .clientSecret(env.get("CLIENT_SECRET"))
                .privateKey(Files.readString(Path.of("merchant.key")))
                .build();
        // end
        var name = Path.of(words[0]).getFileName().toString().replace(".java", "");
        Class.forName(name).getDeclaredMethod("run", PesaPost.class).invoke(null, client);
    }
}
