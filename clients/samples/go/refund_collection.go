package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func refundCollection(ctx context.Context, client *pesapost.Client) error {
	// sample
	asked, err := client.Collections.Refund(ctx, "INV-1001", pesapost.NewRefund{
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000).Ptr(),
		Reference:   "REFUND-1001",
	})
	if err != nil {
		return err
	}
	fmt.Println(asked.Status) // pending_approval: another holder approves it
	// end
	return nil
}
