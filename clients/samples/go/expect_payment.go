package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func expectPayment(ctx context.Context, client *pesapost.Client) error {
	// sample
	expected, err := client.Collections.Expect(ctx, pesapost.NewExpectedPayment{
		AccountNo:   "10000001",
		AmountMinor: pesapost.Minor(25_000),
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   "INV7",
	})
	if err != nil {
		return err
	}
	fmt.Println(expected.PayTo.Account) // 10000001 INV7
	// end
	return nil
}
