import com.pesapost.PesaPost;

final class FindCollection {
    private FindCollection() {}

    static void run(PesaPost client) {
        // sample
        var item = client.collections().get("INV-1001");
        System.out.println(item.status() + " " + item.failureCode());
        // end
    }
}
