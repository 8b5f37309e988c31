namespace PesaPost.Samples;

internal static class FindCollectionReceipt
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        Receipt receipt =
            await client.Collections.GetReceiptAsync("INV-1001");
        // Store it unchanged.
        await File.WriteAllTextAsync("INV-1001.json", receipt.Text);
        // end
    }
}
