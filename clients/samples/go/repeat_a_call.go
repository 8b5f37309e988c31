package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func repeatACall(ctx context.Context, client *pesapost.Client) error {
	order := pesapost.NewCollection{
		AccountNo:   "10000001",
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000),
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   "INV-1001",
	}
	storedKey := "order-1001"

	// sample
	// The client repeats the call by itself. Give it the key
	// if another process may have to do so later.
	key := pesapost.IdempotencyKey(storedKey)
	created, err := client.Collections.Create(ctx, order, key)
	if err != nil {
		return err
	}
	fmt.Println(created.Replayed)
	// end
	return nil
}
