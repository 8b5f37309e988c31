package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func createCollection(ctx context.Context, client *pesapost.Client) error {
	// sample
	created, err := client.Collections.Create(ctx, pesapost.NewCollection{
		AccountNo:   "10000001",
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000), // KES 250.00
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   "INV-1001",
	})
	if err != nil {
		return err
	}
	fmt.Println(created.Status) // pending
	// end
	return nil
}
