package pesapost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	maxIdleConnections = 16
	// Servers often close idle connections after 5 s. A connection that is about to be closed would fail a try.
	idleTimeout = 4 * time.Second
)

// wire sends requests to one server, each with its whole answer within a deadline (SDK-3, SDK-9).
type wire struct {
	origin    string
	transport *http.Transport
	timeout   time.Duration
}

// wireRequest has the path and query as they were signed in target.
type wireRequest struct {
	method  string
	target  string
	headers map[string]string
	body    []byte
}

// wireAnswer is an answer that was read to its end.
type wireAnswer struct {
	status  int
	headers http.Header
	text    []byte
}

func (answer *wireAnswer) header(name string) string {
	return strings.Join(answer.headers.Values(name), ", ")
}

// exchange sends a request and reads its answer. A transport alone follows no redirect.
func (wire *wire) exchange(ctx context.Context, asked wireRequest) (*wireAnswer, *Error) {
	limited, cancel := context.WithTimeout(ctx, wire.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, asked.method, wire.origin+asked.target, nil)
	if err != nil {
		return nil, &Error{Code: "network_failure", Kind: KindNetwork, cause: err}
	}
	for name, value := range asked.headers {
		request.Header.Set(name, value)
	}
	request.Body = sentOnce{bytes.NewReader(asked.body)}
	request.ContentLength = int64(len(asked.body))
	answer, err := wire.transport.RoundTrip(request)
	if err != nil {
		return nil, wire.failureOf(ctx, limited, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, wire.failureOf(ctx, limited, err)
	}
	return &wireAnswer{answer.StatusCode, answer.Header, text}, nil
}

// sentOnce is a body that the transport cannot read again. It would otherwise repeat a request on its own if a
// connection broke, with the same nonce (SDK-6), and no caller would know.
type sentOnce struct{ io.Reader }

func (sentOnce) Close() error { return nil }

func (wire *wire) failureOf(ctx, limited context.Context, err error) *Error {
	if failure := endOf(ctx); failure != nil {
		return failure
	}
	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return &Error{Code: "timeout", Kind: KindTimeout, limit: wire.timeout, cause: limited.Err()}
	}
	return &Error{Code: "network_failure", Kind: KindNetwork, cause: err}
}

// endOf returns the failure of a context that has ended, and nil before (SDK-24).
func endOf(ctx context.Context) *Error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: "timeout", Kind: KindTimeout, cause: err}
	default:
		return &Error{Code: "canceled", Kind: KindCanceled, cause: err}
	}
}
