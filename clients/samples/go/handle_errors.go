package main

import (
	"context"
	"errors"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func handleErrors(ctx context.Context, client *pesapost.Client) error {
	order := pesapost.NewCollection{
		AccountNo:   "10000001",
		Phone:       "0712345678",
		AmountMinor: pesapost.Minor(25_000),
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   "INV-1001",
	}

	// sample
	_, err := client.Collections.Create(ctx, order)
	var failure *pesapost.Error
	switch {
	case err == nil:
	case !errors.As(err, &failure):
		return err
	case failure.Kind == pesapost.KindRequest:
		fmt.Println(failure.Detail)
	case failure.Code == "rail_rejected":
		fmt.Println("no push")
	default:
		fmt.Println("repeat with", failure.IdempotencyKey)
	}
	// end
	return nil
}
