package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync"

	pesapost "github.com/pesapost/pesapost-go"
)

func followEvents(ctx context.Context, client *pesapost.Client) error {
	// sample
	// In your service: a row that is written with the work.
	const file = "last-sequence.txt"
	var oneAtATime sync.Mutex

	// A webhook only says that there are events. The feed has them all.
	catchUp := func(ctx context.Context, webhook *pesapost.Event) error {
		oneAtATime.Lock()
		defer oneAtATime.Unlock()
		text, _ := os.ReadFile(file)
		last, _ := strconv.ParseInt(string(text), 10, 64)
		events := client.Events.All(pesapost.EventFilters{AfterSequence: last})
		for events.Next(ctx) {
			handle(events.Item())
			last = events.Item().Sequence
			text = strconv.AppendInt(nil, last, 10)
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return err
			}
		}
		// The feed may be a moment behind. After a 500, the webhook is sent again.
		if events.Err() == nil && last < webhook.Sequence {
			return errors.New("the feed is behind")
		}
		return events.Err()
	}
	http.Handle("/webhooks", &pesapost.WebhookHandler{
		WebhookVerifier: pesapost.WebhookVerifier{
			Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
		},
		OnEvent: catchUp,
	})
	return http.ListenAndServe(":"+os.Getenv("PORT"), nil)
	// end
}
