package pesapost

import (
	"context"
	"strconv"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const transactionsPath = "/api/v4/transactions"

// Transactions are the list of collections and payouts, newest first.
type Transactions struct{ link *connection }

// List returns one page: at least as new as MinPosition, or as it was AtPosition.
func (t *Transactions) List(ctx context.Context, filters TransactionFilters, options ...ReadOption) (*TransactionsPage, error) {
	page, err := get[TransactionsPage](ctx, t.link, transactionsPath, filters.parameters(), options)
	if err == nil && page.Data == nil {
		return nil, notAPage(transactionsPath)
	}
	return page, err
}

// Pages walks page after page (SDK-14). To continue on another day, store the last page's NextCursor.
func (t *Transactions) Pages(filters TransactionFilters, options ...ReadOption) *Iterator[*TransactionsPage] {
	fetch := t.walk(filters, options)
	return &Iterator[*TransactionsPage]{fetch: func(ctx context.Context) ([]*TransactionsPage, bool, error) {
		page, isLast, err := fetch(ctx)
		if page == nil {
			return nil, isLast, err
		}
		return []*TransactionsPage{page}, isLast, err
	}}
}

// All walks every item of every page.
func (t *Transactions) All(filters TransactionFilters, options ...ReadOption) *Iterator[Transaction] {
	fetch := t.walk(filters, options)
	return &Iterator[Transaction]{fetch: func(ctx context.Context) ([]Transaction, bool, error) {
		page, isLast, err := fetch(ctx)
		if page == nil {
			return nil, isLast, err
		}
		return page.Data, isLast, err
	}}
}

// walk returns a function that fetches the next page, true if it is the last, and the failure that follows it.
func (t *Transactions) walk(
	filters TransactionFilters, options []ReadOption,
) func(context.Context) (*TransactionsPage, bool, error) {
	return func(ctx context.Context) (*TransactionsPage, bool, error) {
		page, err := t.List(ctx, filters, options...)
		if err != nil {
			return nil, false, err
		}
		if cursor, has := page.Members["next_cursor"]; has && cursor == nil {
			return page, true, nil
		}
		// A cursor that leads to itself, or none, would be followed for ever.
		if page.NextCursor == "" || page.NextCursor == filters.Cursor {
			return page, false, notAPage(transactionsPath)
		}
		filters.Cursor = page.NextCursor
		return page, false, nil
	}
}

func (filters TransactionFilters) parameters() []signing.Parameter {
	all := []signing.Parameter{
		{Name: "type", Value: filters.Type},
		{Name: "status", Value: filters.Status},
		{Name: "from", Value: filters.From},
		{Name: "to", Value: filters.To},
		{Name: "date_field", Value: filters.DateField},
		{Name: "batch", Value: filters.Batch},
		{Name: "origin", Value: filters.Origin},
		{Name: "limit", Value: limitText(filters.Limit)},
		{Name: "cursor", Value: filters.Cursor},
	}
	var set []signing.Parameter
	for _, each := range all {
		if each.Value != "" {
			set = append(set, each)
		}
	}
	return set
}

func limitText(limit int) string {
	if limit == 0 {
		return ""
	}
	return strconv.Itoa(limit)
}
