package pesapost

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestManyGoroutinesShareOneClientAndOneToken(t *testing.T) {
	started := startService(t, completed)
	client := started.client()
	var group sync.WaitGroup
	for index := 0; index < 32; index++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if _, err := client.Collections.Get(context.Background(), "INV-1"); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	if started.tokens != 1 {
		t.Errorf("%d requests for a token", started.tokens)
	}
}

func TestACanceledContextEndsACall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	started := startService(t, func(_ http.ResponseWriter, request *http.Request) {
		cancel()
		<-request.Context().Done()
	})
	_, err := started.client().Payouts.Request(ctx, NewCollection{}, IdempotencyKey("key-1"))
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "canceled" || failure.IdempotencyKey != "key-1" {
		t.Errorf("%v", err)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("no cause: %v", err)
	}
}

func TestACanceledContextEndsADelay(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	started := startService(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Retry-After", "60")
		writer.WriteHeader(http.StatusServiceUnavailable)
		time.AfterFunc(100*time.Millisecond, cancel)
	})
	began := time.Now()
	_, err := started.client().Collections.Get(ctx, "INV-1")
	if !errors.Is(err, context.Canceled) || time.Since(began) > 50*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestADelayBeyondTheDeadlineEndsACallAtOnceWithTheLastFailure(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	started := startService(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Retry-After", "60")
		writer.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := started.client().Collections.Get(ctx, "INV-1")
	var failure *Error
	if !errors.As(err, &failure) || failure.Status != 429 || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}

func TestADeadlineOfTheContextIsATimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	started := startService(t, func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() })
	_, err := started.client().Collections.Get(ctx, "INV-1")
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != KindTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestACanceledWaitIsNoUnsettledCollection(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	started := startService(t, func(writer http.ResponseWriter, _ *http.Request) {
		writeJSON(writer, map[string]any{"status": "pending", "amount_minor": 1})
		time.AfterFunc(100*time.Millisecond, cancel)
	})
	_, err := started.client().Collections.WaitUntilSettled(ctx, "INV-1", 0)
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "canceled" {
		t.Errorf("%v", err)
	}
}

func TestOneGoroutinesEndDoesNotEndTheOthersTokenRequest(t *testing.T) {
	started := startService(t, completed)
	client := started.client()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := client.Collections.Get(ended, "INV-1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := client.Collections.Get(context.Background(), "INV-1"); err != nil {
		t.Error(err)
	}
	if started.tokens != 1 {
		t.Errorf("%d requests for a token", started.tokens)
	}
}

// The transport would repeat a GET, or a POST with an Idempotency-Key, on its own if a kept connection broke.
func TestEachTryOnAKeptConnectionHasItsOwnNonce(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		calls := 0
		started := startService(t, func(writer http.ResponseWriter, request *http.Request) {
			if calls++; calls == 2 {
				cut(writer)
				return
			}
			completed(writer, request)
		})
		client := started.client()
		for index := 0; index < 2; index++ {
			if err := callBy(client, method); err != nil {
				t.Error(err)
			}
		}
		unique := map[string]bool{}
		for _, nonce := range started.seen() {
			unique[nonce] = true
		}
		if len(unique) != 3 || len(started.seen()) != 3 {
			t.Errorf("%s: %v", method, started.seen())
		}
	}
}

func callBy(client *Client, method string) error {
	ctx := context.Background()
	if method == http.MethodGet {
		_, err := client.Accounts.Balance(ctx, "10000001")
		return err
	}
	_, err := client.Collections.Create(ctx, NewCollection{})
	return err
}

func TestWordsThatNoRequestCanCarryAreMistakes(t *testing.T) {
	client := must(New(optionsFor("http://127.0.0.1:1")))
	ctx := context.Background()
	_, badPosition := client.Accounts.Balance(ctx, "1", MinPosition("1\r\nX: y"))
	_, badFilter := client.Transactions.List(ctx, TransactionFilters{Batch: "\xff"})
	for _, err := range []error{badPosition, badFilter} {
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%v", err)
		}
	}
}

func TestABrokenConnectionsCauseIsUnwrapped(t *testing.T) {
	options := optionsFor("http://127.0.0.1:1")
	options.Retries = &RetryPolicy{}
	_, err := must(New(options)).Collections.Get(context.Background(), "INV-1")
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "network_failure" || errors.Unwrap(failure) == nil {
		t.Errorf("%v", err)
	}
}

func TestAKnownMemberOfAnotherTypeIsAnUnexpectedAnswer(t *testing.T) {
	for _, body := range []string{`{"amount_minor":null}`, `{"amount_minor":1.5}`, `{"status":7}`} {
		started := startService(t, func(writer http.ResponseWriter, _ *http.Request) { fmt.Fprint(writer, body) })
		_, err := started.client().Collections.Get(context.Background(), "INV-1")
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != "unexpected_answer" {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAWaitPastTheContextsDeadlineHasTheLastKnownState(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	started := startService(t, func(writer http.ResponseWriter, _ *http.Request) {
		writeJSON(writer, map[string]any{"status": "pending", "amount_minor": 1})
	})
	_, err := started.client().Collections.WaitUntilSettled(ctx, "INV-1", 0)
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "not_settled" || failure.Last == nil {
		t.Errorf("%v", err)
	}
}
