package main

import (
	"context"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

func listEvents(ctx context.Context, client *pesapost.Client) error {
	// sample
	// Each event after the last one that you handled.
	events := client.Events.All(pesapost.EventFilters{AfterSequence: 41})
	for events.Next(ctx) {
		fmt.Println(events.Item().Sequence, events.Item().Type)
	}
	return events.Err()
	// end
}
