package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func rejectPayoutBatch(ctx context.Context, client *pesapost.Client) error {
	// sample
	// The client of another holder.
	repeat := &pesapost.PayoutBatchRepeat{
		Count:       240,
		AmountMinor: pesapost.Minor(6_000_000).Ptr(),
	}
	rejected, err := client.PayoutBatches.Reject(ctx, "salaries-2026-11", repeat)
	if err != nil {
		return err
	}
	fmt.Println(rejected.Status) // rejected
	// end
	return nil
}
