package pesapost

import (
	"context"

	"github.com/pesapost/pesapost-go/internal/signing"
)

// Accounts are the merchant's accounts.
type Accounts struct{ link *connection }

// Balance returns an account's balance as of one position of the ledger.
func (a *Accounts) Balance(ctx context.Context, accountNo string, options ...ReadOption) (*Balance, error) {
	return get[Balance](ctx, a.link, "/api/v4/accounts/"+signing.EncodePart(accountNo)+"/balance", nil, options)
}
