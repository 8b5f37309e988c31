package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	pesapost "github.com/pesapost/pesapost-go"
	"github.com/pesapost/pesapost-go/internal/signing"
)

func makeClient(text json.RawMessage) (any, error) {
	var args struct {
		Client        string `json:"client"`
		BaseURL       string `json:"base_url"`
		ClientID      string `json:"client_id"`
		ClientSecret  string `json:"client_secret"`
		PrivateKeyPEM string `json:"private_key_pem"`
		TimeoutMs     int64  `json:"timeout_ms"`
		NowMs         *int64 `json:"now_ms"`
		Retries       struct {
			Max         *int   `json:"max"`
			BaseDelayMs *int64 `json:"base_delay_ms"`
			MaxDelayMs  *int64 `json:"max_delay_ms"`
		} `json:"retries"`
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	policy := pesapost.DefaultRetries()
	if max := args.Retries.Max; max != nil {
		policy.MaxRetries = *max
	}
	if delay := args.Retries.BaseDelayMs; delay != nil {
		policy.BaseDelay = milliseconds(*delay)
	}
	if delay := args.Retries.MaxDelayMs; delay != nil {
		policy.MaxDelay = milliseconds(*delay)
	}
	client, err := pesapost.New(pesapost.Options{
		BaseURL:      args.BaseURL,
		ClientID:     args.ClientID,
		ClientSecret: args.ClientSecret,
		PrivateKey:   args.PrivateKeyPEM,
		Timeout:      milliseconds(args.TimeoutMs),
		Retries:      &policy,
		Now:          clockAt(args.NowMs),
	})
	clients.Store(args.Client, client)
	return map[string]any{}, err
}

func sign(text json.RawMessage) (any, error) {
	var args struct {
		Method        string `json:"method"`
		RawPath       string `json:"raw_path"`
		RawQuery      string `json:"raw_query"`
		BodyBase64    string `json:"body_base64"`
		Nonce         string `json:"nonce"`
		Timestamp     string `json:"timestamp"`
		PrivateKeyPEM string `json:"private_key_pem"`
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	body, err := base64.StdEncoding.DecodeString(args.BodyBase64)
	if err != nil {
		return nil, err
	}
	query, err := signing.CanonicalQuery(args.RawQuery)
	if err != nil {
		return nil, mistake{err}
	}
	signed, err := signing.StringToSign(signing.Request{
		Method:    args.Method,
		RawPath:   args.RawPath,
		RawQuery:  args.RawQuery,
		Body:      body,
		Nonce:     args.Nonce,
		Timestamp: args.Timestamp,
	})
	if err != nil {
		return nil, err
	}
	key, err := signing.ReadKey(args.PrivateKeyPEM)
	if err != nil {
		return nil, err
	}
	signature, err := key.Sign(signed)
	return map[string]any{"canonical_query": query, "string_to_sign": signed, "signature": signature}, err
}

func verifyWebhook(text json.RawMessage) (any, error) {
	var args struct {
		PayloadBase64    string            `json:"payload_base64"`
		Headers          map[string]string `json:"headers"`
		Secrets          json.RawMessage   `json:"secrets"`
		NowMs            *int64            `json:"now_ms"`
		ToleranceSeconds int64             `json:"tolerance_seconds"`
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	var one string
	var secrets []string
	if json.Unmarshal(args.Secrets, &one) == nil {
		secrets = []string{one}
	} else if err := json.Unmarshal(args.Secrets, &secrets); err != nil {
		return nil, err
	}
	payload, err := base64.StdEncoding.DecodeString(args.PayloadBase64)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, value := range args.Headers {
		header[name] = []string{value}
	}
	tolerance := time.Duration(args.ToleranceSeconds) * time.Second
	verifier := pesapost.WebhookVerifier{Secrets: secrets, Tolerance: tolerance, Now: clockAt(args.NowMs)}
	return verifier.Verify(payload, header)
}

func clockAt(ms *int64) func() time.Time {
	if ms == nil {
		return nil
	}
	return func() time.Time { return time.UnixMilli(*ms) }
}

func milliseconds(count int64) time.Duration { return time.Duration(count) * time.Millisecond }
