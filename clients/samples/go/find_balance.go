package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func findBalance(ctx context.Context, client *pesapost.Client) error {
	// sample
	balance, err := client.Accounts.Balance(ctx, "10000001")
	if err != nil {
		return err
	}
	fmt.Println(balance.AvailableMinor) // an Amount
	// end
	return nil
}
