package pesapost

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTolerance = 300 * time.Second
	// A rotation has two signatures. A sender with more only makes us work.
	maxSignatures = 8
)

var (
	unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)
	signatureV4 = regexp.MustCompile(`^v4=[0-9a-f]{64}$`)
)

// WebhookError says why a request is not a valid webhook. Answer 400, and do nothing with its content.
type WebhookError struct {
	// Code is missing_header, malformed_timestamp, malformed_signature, no_matching_signature,
	// timestamp_out_of_tolerance or malformed_payload.
	Code string
}

var webhookMessages = map[string]string{
	"missing_header": "a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each " +
		"once; is this request from PesaPost, and does a proxy keep its headers?",
	"malformed_timestamp": "PesaPost-Timestamp is not Unix seconds in decimal digits",
	"malformed_signature": "PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>",
	"no_matching_signature": "no signature is that of this body under these secrets; pass the raw bytes of the " +
		"body, and the secret of this endpoint and mode",
	"timestamp_out_of_tolerance": "the webhook is genuine but not of now: it is a replay, or one of the two " +
		"clocks is wrong",
	"malformed_payload": "the webhook is genuine but its body is no webhook event",
}

// Error is a sentence for the developer.
func (err *WebhookError) Error() string { return "pesapost: " + webhookMessages[err.Code] }

// WebhookVerifier verifies webhooks (SDK-17). Any number of goroutines may use it.
type WebhookVerifier struct {
	// Secrets has the endpoint's secret; during a rotation, the new one and the old one.
	Secrets []string
	// Tolerance is how far the timestamp may be from now, in either direction; 0 for 300 s.
	Tolerance time.Duration
	// Now returns the time; nil for time.Now.
	Now func() time.Time
}

// VerifyWebhook verifies that a request is PesaPost's webhook, unchanged and recent, and returns its event.
//
// The payload is the body's raw bytes, never JSON that was parsed and written again. It returns a *WebhookError, or a
// *UsageError if there is no secret to verify with.
func VerifyWebhook(payload []byte, header http.Header, secrets ...string) (*Event, error) {
	return WebhookVerifier{Secrets: secrets}.Verify(payload, header)
}

// Verify is VerifyWebhook with the verifier's options.
func (verifier WebhookVerifier) Verify(payload []byte, header http.Header) (*Event, error) {
	if err := verifier.check(); err != nil {
		return nil, err
	}
	id, timestamp := only(header, "PesaPost-Event-Id"), only(header, "PesaPost-Timestamp")
	signature := only(header, "PesaPost-Signature")
	if id == "" || timestamp == "" || signature == "" {
		return nil, &WebhookError{"missing_header"}
	}
	if !unixSeconds.MatchString(timestamp) {
		return nil, &WebhookError{"malformed_timestamp"}
	}
	signatures := signaturesIn(signature)
	if len(signatures) == 0 {
		return nil, &WebhookError{"malformed_signature"}
	}
	if !verifier.matches(signatures, []byte(id+"."+timestamp+"."), payload) {
		return nil, &WebhookError{"no_matching_signature"}
	}
	if !verifier.isRecent(timestamp) {
		return nil, &WebhookError{"timestamp_out_of_tolerance"}
	}
	return eventIn(payload)
}

func (verifier WebhookVerifier) check() error {
	for _, secret := range verifier.Secrets {
		if secret == "" {
			return usageError("a webhook secret is empty, and would verify anything")
		}
	}
	if len(verifier.Secrets) == 0 {
		return usageError("there is no webhook secret to verify with")
	}
	return nil
}

// only returns the header, and an empty text if it is absent or present twice. Some gateways pass on names that are
// not in Go's canonical form.
func only(header http.Header, name string) string {
	var found []string
	for each, values := range header {
		if strings.EqualFold(each, name) {
			found = append(found, values...)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

func signaturesIn(text string) []string {
	var signatures []string
	parts := strings.SplitN(text, ",", maxSignatures+1)
	for index, part := range parts {
		if part = strings.TrimSpace(part); index < maxSignatures && signatureV4.MatchString(part) {
			signatures = append(signatures, part[len("v4="):])
		}
	}
	return signatures
}

// matches tries every secret on every signature, so that the time does not reveal which one matched.
func (verifier WebhookVerifier) matches(signatures []string, prefix, payload []byte) bool {
	matches := false
	for _, secret := range verifier.Secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(prefix)
		mac.Write(payload)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			if hmac.Equal(expected, []byte(signature)) {
				matches = true
			}
		}
	}
	return matches
}

func (verifier WebhookVerifier) isRecent(timestamp string) bool {
	now, tolerance := time.Now, defaultTolerance
	if verifier.Now != nil {
		now = verifier.Now
	}
	if verifier.Tolerance != 0 {
		tolerance = verifier.Tolerance
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := now().Sub(time.Unix(seconds, 0))
	return -tolerance <= age && age <= tolerance
}

func eventIn(payload []byte) (*Event, error) {
	event := new(Event)
	err := json.Unmarshal(payload, event)
	if err != nil || event.ID == "" || event.Type == "" || event.Data.Members == nil {
		return nil, &WebhookError{"malformed_payload"}
	}
	return event, nil
}
