package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func findPayout(ctx context.Context, client *pesapost.Client) error {
	// sample
	item, err := client.Payouts.Get(ctx, "PAY-1001")
	if err != nil {
		return err
	}
	fmt.Println(item.Status, item.FailureCode)
	// end
	return nil
}
