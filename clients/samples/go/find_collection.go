package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func findCollection(ctx context.Context, client *pesapost.Client) error {
	// sample
	item, err := client.Collections.Get(ctx, "INV-1001")
	if err != nil {
		return err
	}
	fmt.Println(item.Status, item.FailureCode)
	// end
	return nil
}
