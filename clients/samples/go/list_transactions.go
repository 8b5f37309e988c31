package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func listTransactions(ctx context.Context, client *pesapost.Client) error {
	// sample
	// Page after page, newest first.
	items := client.Transactions.All(pesapost.TransactionFilters{
		Status: "completed",
		From:   "2026-01-01",
		To:     "2026-01-31",
	})
	for items.Next(ctx) {
		fmt.Println(items.Item().Reference, items.Item().AmountMinor)
	}
	return items.Err()
	// end
}
