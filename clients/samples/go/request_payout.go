package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func requestPayout(ctx context.Context, client *pesapost.Client) error {
	// sample
	asked, err := client.Payouts.Request(ctx, pesapost.NewCollection{
		AccountNo:   "10000001",
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000),
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   "PAY-1001",
	})
	if err != nil {
		return err
	}
	fmt.Println(asked.Status) // pending_approval
	// end
	return nil
}
