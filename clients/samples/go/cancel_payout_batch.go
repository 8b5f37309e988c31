package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func cancelPayoutBatch(ctx context.Context, client *pesapost.Client) error {
	// sample
	cancelled, err := client.PayoutBatches.Cancel(ctx, "salaries-2026-11")
	if err != nil {
		return err
	}
	fmt.Println(cancelled.Status)
	// end
	return nil
}
