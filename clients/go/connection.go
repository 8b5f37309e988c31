package pesapost

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pesapost/pesapost-go/internal/signing"
)

var visibleASCII = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// PostOption is an option of a call that changes something.
type PostOption func(*apiCall)

// ReadOption is an option of a call that reads.
type ReadOption func(*apiCall)

// IdempotencyKey sets the key of all tries of a call, 1 to 255 visible ASCII characters (SDK-4).
func IdempotencyKey(key string) PostOption { return func(call *apiCall) { call.key = key } }

// MinPosition asks for an answer at least as new as a LedgerPosition, to read your own writes.
func MinPosition(position string) ReadOption {
	return func(call *apiCall) { call.headers["X-PP-Min-Position"] = position }
}

// AtPosition asks for a list or a balance as it was at a LedgerPosition.
func AtPosition(position string) ReadOption {
	return func(call *apiCall) { call.headers["X-PP-At-Position"] = position }
}

// apiCall is a call of the API, before it is signed.
type apiCall struct {
	method string
	// path is percent-encoded.
	path    string
	query   []signing.Parameter
	body    []byte
	key     string
	headers map[string]string
}

func (call *apiCall) name() string { return call.method + " " + call.path }

// connection sends calls of one credential.
type connection struct {
	wire    *wire
	tokens  *tokenSource
	key     *signing.Key
	now     func() time.Time
	retries RetryPolicy
}

// post sends a body under one key, however often it is sent (SDK-4).
func post[T any](ctx context.Context, link *connection, path string, body any, options []PostOption) (*T, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, usageError("the body cannot be sent: %v", err)
	}
	call := &apiCall{method: http.MethodPost, path: path, body: text, key: newUUID(), headers: map[string]string{}}
	for _, option := range options {
		option(call)
	}
	if !visibleASCII.MatchString(call.key) {
		return nil, usageError("an idempotency key must be 1 to 255 visible ASCII characters")
	}
	call.headers["Content-Type"] = "application/json"
	call.headers["Idempotency-Key"] = call.key
	return decodedBy[T](ctx, link, call)
}

func get[T any](
	ctx context.Context, link *connection, path string, query []signing.Parameter, options []ReadOption,
) (*T, error) {
	call := &apiCall{method: http.MethodGet, path: path, query: query, headers: map[string]string{}}
	for _, option := range options {
		option(call)
	}
	for name, value := range call.headers {
		if !visibleASCII.MatchString(value) {
			return nil, usageError("%s must be a LedgerPosition", name)
		}
	}
	for _, each := range query {
		if !utf8.ValidString(each.Value) {
			return nil, usageError("%s must be UTF-8", each.Name)
		}
	}
	return decodedBy[T](ctx, link, call)
}

func decodedBy[T any](ctx context.Context, link *connection, call *apiCall) (*T, error) {
	answer, attempts, failure := link.send(ctx, call)
	if failure == nil {
		var value *T
		if value, failure = decode[T](answer); failure == nil {
			return value, nil
		}
	}
	return nil, failure.of(call.name(), attempts, call.key)
}

// send sends the call until it succeeds or no retry is left (SDK-1). Every try has the same key and the same bytes,
// with a new nonce and a new timestamp.
func (link *connection) send(ctx context.Context, call *apiCall) (*success, int, *Error) {
	isRenewed := false
	for attempts := 1; ; attempts++ {
		answer, used, failure := link.try(ctx, call)
		if failure == nil {
			return answer, attempts, nil
		}
		if used != nil && failure.Code == codeInvalidToken {
			link.tokens.forget(used)
			if !isRenewed {
				// A renewal is no retry (SDK-8).
				isRenewed = true
				attempts--
				continue
			}
		}
		delay, may := link.retries.delay(failure, attempts)
		if !may || ctx.Err() != nil {
			return nil, attempts, failure
		}
		if deadline, has := ctx.Deadline(); has && time.Until(deadline) <= delay {
			return nil, attempts, failure
		}
		if ended := pause(ctx, delay); ended != nil {
			return nil, attempts, ended
		}
	}
}

// pause waits, or returns the failure of a context that ended first.
func pause(ctx context.Context, delay time.Duration) *Error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return endOf(ctx)
	}
}

func (link *connection) try(ctx context.Context, call *apiCall) (*success, *token, *Error) {
	used, failure := link.tokens.current(ctx)
	if failure != nil {
		return nil, nil, failure
	}
	request, failure := link.signed(call, used)
	if failure != nil {
		return nil, nil, failure
	}
	raw, failure := link.wire.exchange(ctx, request)
	if failure != nil {
		return nil, used, failure
	}
	answer, failure := readAnswer(call.path, raw, link.now())
	return answer, used, failure
}

func (link *connection) signed(call *apiCall, used *token) (wireRequest, *Error) {
	query := signing.EncodeQuery(call.query)
	nonce, timestamp := newUUID(), strconv.FormatInt(link.now().Unix(), 10)
	text, err := signing.StringToSign(signing.Request{
		Method: call.method, RawPath: call.path, RawQuery: query, Body: call.body, Nonce: nonce, Timestamp: timestamp,
	})
	signature := ""
	if err == nil {
		signature, err = link.key.Sign(text)
	}
	if err != nil {
		return wireRequest{}, &Error{Code: "signing_failed", Kind: KindUnknown, cause: err}
	}
	headers := map[string]string{
		"Accept":         "application/json",
		"Authorization":  "Bearer " + used.text,
		"X-PP-Signature": signature,
		"X-PP-Nonce":     nonce,
		"X-PP-Timestamp": timestamp,
	}
	for name, value := range call.headers {
		headers[name] = value
	}
	target := strings.TrimSuffix(call.path+"?"+query, "?")
	return wireRequest{method: call.method, target: target, headers: headers, body: call.body}, nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err) // A system without random numbers cannot make a nonce.
	}
	bytes[6] = bytes[6]&0x0f | 0x40
	bytes[8] = bytes[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
}
