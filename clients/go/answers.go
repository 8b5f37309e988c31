package pesapost

import "time"

// Created is a part of the answer to a call that creates an item.
type Created struct {
	Decided
	// Existing is true if the reference existed: the answer is that item, and nothing was done (SDK-5).
	Existing bool `json:"-"`
}

// Decided is a part of the answer to a call that changes an item.
type Decided struct {
	Status      string `json:"status"`
	Reference   string `json:"reference"`
	AmountMinor Amount `json:"amount_minor"`
	Currency    string `json:"currency"`
	// Replayed is true if the same Idempotency-Key had been answered before.
	Replayed bool `json:"-"`
	Answer
}

// Answer is a part of each answer.
type Answer struct {
	// LedgerPosition goes into MinPosition to read your own writes.
	LedgerPosition string  `json:"-"`
	Members        Members `json:"-"`
}

// CreatedItem is the answer to a call that creates a collection, a payout or a refund.
type CreatedItem struct {
	Created
	// RailReference is empty before the rail has answered.
	RailReference string `json:"rail_reference"`
}

// ExpectedPayment is the answer to Collections.Expect.
type ExpectedPayment struct {
	Created
	PayTo PayTo `json:"pay_to"`
}

// PayTo is shown to a customer who pays without a push.
type PayTo struct {
	PayBill string `json:"pay_bill"`
	Account string `json:"account"`
}

// DecidedPayout is the answer to a decision about a payout.
type DecidedPayout struct {
	Decided
	RailReference string `json:"rail_reference"`
}

// RequestedPayoutBatch is the answer to a request for a batch.
type RequestedPayoutBatch struct {
	Created
	Count int `json:"count"`
}

// DecidedPayoutBatch is the answer to a decision about a batch.
type DecidedPayoutBatch struct {
	Decided
	Count int `json:"count"`
}

// PayoutBatchSummary is a batch, with totals of its payouts by status.
type PayoutBatchSummary struct {
	Reference   string                 `json:"reference"`
	Status      string                 `json:"status"`
	Count       int                    `json:"count"`
	AmountMinor Amount                 `json:"amount_minor"`
	Currency    string                 `json:"currency"`
	AccountNo   string                 `json:"account_no"`
	Channel     string                 `json:"channel"`
	ByStatus    map[string]CountAndSum `json:"by_status"`
	Answer
}

// CountAndSum are totals of a batch's payouts that have one status.
type CountAndSum struct {
	Count       int    `json:"count"`
	AmountMinor Amount `json:"amount_minor"`
}

// Transaction is a collection, a payout or a refund. A member that does not apply is empty or nil.
type Transaction struct {
	Type          string     `json:"type"`
	Reference     string     `json:"reference"`
	Status        string     `json:"status"`
	AmountMinor   Amount     `json:"amount_minor"`
	Currency      string     `json:"currency"`
	FeeMinor      Amount     `json:"fee_minor"`
	ID            string     `json:"id"`
	AccountNo     string     `json:"account_no"`
	Channel       string     `json:"channel"`
	RailReference string     `json:"rail_reference"`
	Receipt       string     `json:"receipt"`
	FailureCode   string     `json:"failure_code"`
	UnderReview   bool       `json:"under_review"`
	CreatedAt     time.Time  `json:"created_at"`
	CompletedAt   *time.Time `json:"completed_at"`
	PaidAt        *time.Time `json:"paid_at"`
	PaidAtKnown   bool       `json:"paid_at_known"`

	Batch           string  `json:"batch"`
	WaitingForFloat bool    `json:"waiting_for_float"`
	Paused          bool    `json:"paused"`
	Origin          string  `json:"origin"`
	RefundStatus    string  `json:"refund_status"`
	RefundedMinor   *Amount `json:"refunded_minor"`
	RefundOf        string  `json:"refund_of"`
	RequestedMinor  *Amount `json:"requested_minor"`

	Members Members `json:"-"`
}

// TransactionsPage is a page of the list, newest first.
type TransactionsPage struct {
	Data []Transaction `json:"data"`
	// NextCursor is empty if there are no more pages.
	NextCursor string `json:"next_cursor"`
	Answer
}

// Balance is an account's balance as of one position.
type Balance struct {
	AccountNo      string `json:"account_no"`
	Currency       string `json:"currency"`
	PostedMinor    Amount `json:"posted_minor"`
	ReservedMinor  Amount `json:"reserved_minor"`
	AvailableMinor Amount `json:"available_minor"`
	Answer
}

// Receipt is a collection, its postings, and the proof that they are history.
type Receipt struct {
	Item Transaction `json:"item"`
	// Text is the answer, byte for byte. Store it unchanged, because anyone can check it.
	Text []byte `json:"-"`
	Answer
}

// Event is the body of a webhook, and an item of the feed.
type Event struct {
	// ID is the same on every delivery of this event. Store it, and handle the event once.
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Mode      string    `json:"mode"`
	// Sequence is 1, 2, 3 … per merchant and mode, without gaps.
	Sequence int64       `json:"sequence"`
	Data     Transaction `json:"data"`
	Members  Members     `json:"-"`
}

// EventsPage is a page of the feed, by Sequence. Data is empty if there is nothing newer.
type EventsPage struct {
	Data              []Event `json:"data"`
	NextAfterSequence int64   `json:"next_after_sequence"`
	Answer
}

// UnmarshalJSON also keeps the members that have no field.
func (transaction *Transaction) UnmarshalJSON(text []byte) error {
	type fields Transaction
	return decodeMembers(text, (*fields)(transaction), &transaction.Members)
}

// UnmarshalJSON also keeps the members that have no field.
func (event *Event) UnmarshalJSON(text []byte) error {
	type fields Event
	return decodeMembers(text, (*fields)(event), &event.Members)
}

// transactionAnswer is a transaction as a whole answer. It takes the members that the transaction has kept.
type transactionAnswer struct{ Transaction }

func (answer *transactionAnswer) facts() *Answer { return &Answer{} }
