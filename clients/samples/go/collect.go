package main

import (
	"context"
	"fmt"
	"os"
	"time"

	pesapost "github.com/pesapost/pesapost-go"
)

func collect(ctx context.Context, client *pesapost.Client) error {
	// sample
	created, err := client.Collections.Create(ctx, pesapost.NewCollection{
		AccountNo:   os.Getenv("ACCOUNT_NO"),
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(25_000), // KES 250.00
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   fmt.Sprint("INV-", time.Now().UnixNano()),
	})
	if err != nil {
		return err
	}
	fmt.Println(created.Status) // pending

	// Waits for up to 120 s.
	settled, err := client.Collections.WaitUntilSettled(ctx, created.Reference, 0)
	if err != nil {
		return err
	}
	fmt.Println(settled.Status, settled.AmountMinor)
	// end
	return nil
}
