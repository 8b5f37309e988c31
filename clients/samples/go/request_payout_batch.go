package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func requestPayoutBatch(ctx context.Context, client *pesapost.Client) error {
	// sample
	batch, err := client.PayoutBatches.Create(ctx, pesapost.NewPayoutBatch{
		Reference: "salaries-2026-11",
		AccountNo: "10000001",
		Currency:  "KES",
		Channel:   "mpesa",
		Items: []pesapost.NewPayoutBatchItem{{
			Reference:   "salary-7",
			Phone:       "254712345678",
			AmountMinor: pesapost.Minor(25_000),
		}},
	})
	if err != nil {
		return err
	}
	fmt.Println(batch.Status) // pending_approval
	// end
	return nil
}
