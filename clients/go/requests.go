package pesapost

// NewCollection is a new collection or payout: the body of POST /api/v4/collections and /api/v4/payouts.
type NewCollection struct {
	AccountNo   string `json:"account_no"`
	Phone       string `json:"phone"`
	AmountMinor Amount `json:"amount_minor"`
	Currency    string `json:"currency"`
	Channel     string `json:"channel"`
	Reference   string `json:"reference"`
}

// NewExpectedPayment is a payment that you expect without a push: the body of POST /api/v4/expected-payments.
type NewExpectedPayment struct {
	AccountNo   string `json:"account_no"`
	AmountMinor Amount `json:"amount_minor"`
	Currency    string `json:"currency"`
	Channel     string `json:"channel"`
	Reference   string `json:"reference"`
}

// NewRefund is a new refund. Without AmountMinor, everything that is left is given back.
type NewRefund struct {
	Reference   string  `json:"reference"`
	AmountMinor *Amount `json:"amount_minor,omitempty"`
	Phone       string  `json:"phone,omitempty"`
}

// PayoutRepeat has values that a decision may repeat, to be sure that it is about the intended payout.
type PayoutRepeat struct {
	Phone       string  `json:"phone,omitempty"`
	AmountMinor *Amount `json:"amount_minor,omitempty"`
}

// NewPayoutBatch is the body of POST /api/v4/payout-batches: up to 1,000 payouts, decided as one.
type NewPayoutBatch struct {
	Reference string               `json:"reference"`
	AccountNo string               `json:"account_no"`
	Currency  string               `json:"currency"`
	Channel   string               `json:"channel"`
	Items     []NewPayoutBatchItem `json:"items"`
}

// NewPayoutBatchItem is one payout of a batch.
type NewPayoutBatchItem struct {
	Reference   string `json:"reference"`
	Phone       string `json:"phone"`
	AmountMinor Amount `json:"amount_minor"`
}

// PayoutBatchRepeat has values that a decision may repeat, to be sure that it is about the intended batch.
type PayoutBatchRepeat struct {
	Count       int     `json:"count,omitempty"`
	AmountMinor *Amount `json:"amount_minor,omitempty"`
}

// TransactionFilters are filters of the list. An empty one does not filter.
type TransactionFilters struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	// From and To are days such as 2026-11-01, inclusive.
	From      string `json:"from"`
	To        string `json:"to"`
	DateField string `json:"date_field"`
	Batch     string `json:"batch"`
	Origin    string `json:"origin"`
	// Limit is the number of items on a page; 0 for the service's default.
	Limit int `json:"limit"`
	// Cursor is an earlier page's NextCursor.
	Cursor string `json:"cursor"`
}

// EventFilters name a part of the feed.
type EventFilters struct {
	// AfterSequence is the sequence of the last event that you handled; 0 for the whole feed.
	AfterSequence int64
	// Limit is the number of events on a page; 0 for the service's default.
	Limit int
}
