package pesapost

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
)

const maxWebhookBytes = 64 << 10

// WebhookHandler is an http.Handler that verifies webhooks and calls back with each event (SDK-18).
//
// It answers 204 once OnEvent returned nil, 400 to a request that does not verify, 413 to a body over 64 KiB, and 500 if
// OnEvent failed, so that the event is delivered again. Deliveries repeat, so handle each Event.ID once.
type WebhookHandler struct {
	WebhookVerifier
	// OnEvent gets the request's context.
	OnEvent func(context.Context, *Event) error
	// OnRefused, if set, gets the reason of each 400.
	OnRefused func(*WebhookError)
	// OnFailed, if set, gets the reason of each 500; otherwise it is logged.
	OnFailed func(error)
}

// ServeHTTP answers one delivery.
func (handler *WebhookHandler) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	payload, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, maxWebhookBytes))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		writer.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		writer.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := handler.Verify(payload, request.Header)
	if refusal := new(WebhookError); errors.As(err, &refusal) {
		if handler.OnRefused != nil {
			handler.OnRefused(refusal)
		}
		writer.WriteHeader(http.StatusBadRequest)
		return
	}
	if err == nil {
		err = handler.OnEvent(request.Context(), event)
	}
	if err != nil {
		handler.failed(err)
		writer.WriteHeader(http.StatusInternalServerError)
		return
	}
	writer.WriteHeader(http.StatusNoContent)
}

func (handler *WebhookHandler) failed(err error) {
	if handler.OnFailed != nil {
		handler.OnFailed(err)
		return
	}
	log.Printf("pesapost: a webhook was not handled: %v", err)
}
