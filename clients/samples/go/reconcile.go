package main

import (
	"context"
	"fmt"
	"os"

	pesapost "github.com/pesapost/pesapost-go"
)

func reconcile(ctx context.Context, client *pesapost.Client) error {
	// sample
	day := os.Getenv("DAY")
	var count int
	var amount, fees pesapost.Amount
	items := client.Transactions.All(pesapost.TransactionFilters{
		Type:      "collection",
		Status:    "completed",
		DateField: "paid_at", // the day of M-Pesa's statement
		From:      day,
		To:        day,
	})
	for items.Next(ctx) {
		count++
		amount = amount.Add(items.Item().AmountMinor)
		fees = fees.Add(items.Item().FeeMinor)
	}
	if err := items.Err(); err != nil {
		return err
	}
	fmt.Printf("%d completed, amount %s, fees %s\n", count, amount, fees)
	// end
	return nil
}
