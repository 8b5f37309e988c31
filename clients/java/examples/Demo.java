import com.pesapost.PesaPost;

/**
 * The clients of the demo merchant, from environment variables (clients/java/README.md has the commands that set them).
 */
final class Demo {
    private Demo() {}

    static PesaPost client() {
        return client("PESAPOST_");
    }

    /** Returns the client of a second holder, who approves. */
    static PesaPost checker() {
        return client("PESAPOST_CHECKER_");
    }

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set");
        }
        return value;
    }

    private static PesaPost client(String prefix) {
        return PesaPost.builder()
                .baseUrl(setting("PESAPOST_URL"))
                .clientId(setting(prefix + "CLIENT_ID"))
                .clientSecret(setting(prefix + "CLIENT_SECRET"))
                .privateKey(setting(prefix + "PRIVATE_KEY"))
                .build();
    }
}
