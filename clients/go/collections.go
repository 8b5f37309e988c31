package pesapost

import (
	"context"
	"errors"
	"time"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const (
	collectionsPath = "/api/v4/collections"

	defaultWait = 120 * time.Second
	firstPause  = 500 * time.Millisecond
	maxPause    = 5 * time.Second
)

// Collections are money from customers' phones.
type Collections struct{ link *connection }

// Create sends a push to the customer's phone. Money moves only when the customer confirms.
//
// If the reference exists, the call returns its current state and pushes nothing. It fails if the reference exists
// for another amount, phone or account (Error.Differs), and with rail_rejected if the rail refused the push.
func (c *Collections) Create(ctx context.Context, collection NewCollection, options ...PostOption) (*CreatedItem, error) {
	return post[CreatedItem](ctx, c.link, collectionsPath, collection, options)
}

// Expect expects a payment without a push: show the customer PayTo. It fails if the reference exists for another payment.
func (c *Collections) Expect(ctx context.Context, payment NewExpectedPayment, options ...PostOption) (*ExpectedPayment, error) {
	return post[ExpectedPayment](ctx, c.link, "/api/v4/expected-payments", payment, options)
}

// Refund gives a completed collection back, as a whole or in part.
//
// The refund is a payout: another holder approves it with Payouts.Approve, under the refund's own reference.
func (c *Collections) Refund(ctx context.Context, collection string, refund NewRefund, options ...PostOption) (*CreatedItem, error) {
	return post[CreatedItem](ctx, c.link, collectionPath(collection)+"/refund", refund, options)
}

// Get returns the current state, never behind. It fails with not_found.
func (c *Collections) Get(ctx context.Context, reference string) (*Transaction, error) {
	return item(ctx, c.link, collectionPath(reference))
}

// Receipt returns a receipt that anyone can check without trusting PesaPost.
//
// Each day is sealed a few minutes after its end; before that, a posting's proof is null.
func (c *Collections) Receipt(ctx context.Context, reference string) (*Receipt, error) {
	return get[Receipt](ctx, c.link, collectionPath(reference)+"/receipt", nil, nil)
}

// WaitUntilSettled polls until the collection is completed or failed (SDK-16), for the given time; 0 for 120 s.
//
// A failed one can still become completed, so keep listening to webhooks. When time is up, or the context's deadline
// has passed, the Error has the code not_settled and the last known state.
func (c *Collections) WaitUntilSettled(ctx context.Context, reference string, within time.Duration) (*Transaction, error) {
	if within == 0 {
		within = defaultWait
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last *Transaction
	wait, asked := firstPause, 0
	for limited.Err() == nil {
		asked++
		seen, err := c.Get(limited, reference)
		if err == nil {
			last = seen
			if seen.Status == "completed" || seen.Status == "failed" {
				return seen, nil
			}
		} else if failure := new(Error); limited.Err() == nil && (!errors.As(err, &failure) || !failure.isRetryable()) {
			return nil, err
		}
		// Many callers may wait at the same time, and they should not all ask at once.
		pause(limited, time.Duration(float64(wait)*(1-randomShare()/4)))
		if wait = wait * 3 / 2; wait > maxPause {
			wait = maxPause
		}
	}
	failure := endOf(limited)
	if failure.Kind == KindTimeout {
		failure.Code, failure.Kind, failure.Reference = "not_settled", KindNotSettled, reference
		failure.Last, failure.limit = last, within
	}
	return nil, failure.of("GET "+collectionPath(reference), asked, "")
}

// item returns a transaction. Its page-less answer has no facts beside its members.
func item(ctx context.Context, link *connection, path string) (*Transaction, error) {
	answer, err := get[transactionAnswer](ctx, link, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return &answer.Transaction, nil
}

func collectionPath(reference string) string {
	return collectionsPath + "/" + signing.EncodePart(reference)
}
