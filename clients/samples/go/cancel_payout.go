package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func cancelPayout(ctx context.Context, client *pesapost.Client) error {
	// sample
	cancelled, err := client.Payouts.Cancel(ctx, "PAY-1001")
	if err != nil {
		return err
	}
	fmt.Println(cancelled.Status)
	// end
	return nil
}
