package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func findPayoutBatch(ctx context.Context, client *pesapost.Client) error {
	// sample
	batch, err := client.PayoutBatches.Get(ctx, "salaries-2026-11")
	if err != nil {
		return err
	}
	fmt.Println(batch.ByStatus["completed"].Count)
	// end
	return nil
}
