package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func rejectPayout(ctx context.Context, client *pesapost.Client) error {
	// sample
	// The client of another holder.
	rejected, err := client.Payouts.Reject(ctx, "PAY-1001", &pesapost.PayoutRepeat{
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000).Ptr(),
	})
	if err != nil {
		return err
	}
	fmt.Println(rejected.Status) // rejected
	// end
	return nil
}
