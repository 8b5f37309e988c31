package main

import (
	"context"
	"net/http"
	"os"

	pesapost "github.com/pesapost/pesapost-go"
)

func receiveWebhooks(ctx context.Context, client *pesapost.Client) error {
	// sample
	http.Handle("/webhooks", &pesapost.WebhookHandler{
		WebhookVerifier: pesapost.WebhookVerifier{
			Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
		},
		// Called once the signature has been verified.
		OnEvent: func(ctx context.Context, event *pesapost.Event) error {
			return save(event.ID, event.Type, event.Data)
		},
	})
	return http.ListenAndServe(":"+os.Getenv("PORT"), nil)
	// end
}
