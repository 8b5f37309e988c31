package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func readYourWrites(ctx context.Context, client *pesapost.Client) error {
	// sample
	page, err := client.Transactions.List(ctx, pesapost.TransactionFilters{})
	if err != nil {
		return err
	}
	position := pesapost.MinPosition(page.LedgerPosition)
	balance, err := client.Accounts.Balance(ctx, "10000001", position)
	if err != nil {
		return err
	}
	fmt.Println(balance.AvailableMinor)
	// end
	return nil
}
