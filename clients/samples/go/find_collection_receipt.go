package main

import (
	"context"
	"os"

	pesapost "github.com/pesapost/pesapost-go"
)

func findCollectionReceipt(ctx context.Context, client *pesapost.Client) error {
	// sample
	receipt, err := client.Collections.Receipt(ctx, "INV-1001")
	if err != nil {
		return err
	}
	// Store it unchanged.
	return os.WriteFile("INV-1001.json", receipt.Text, 0o600)
	// end
}
