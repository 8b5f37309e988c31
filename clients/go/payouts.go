package pesapost

import (
	"context"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const payoutsPath = "/api/v4/payouts"

// Payouts are money to customers' phones. One holder asks, and another approves.
type Payouts struct{ link *connection }

// Request asks for a payout. Its amount and fee are reserved, and it waits for another holder.
//
// It fails if the reference exists for another amount, phone or account (Error.Differs), and with codes such as
// insufficient_funds.
func (p *Payouts) Request(ctx context.Context, payout NewCollection, options ...PostOption) (*CreatedItem, error) {
	return post[CreatedItem](ctx, p.link, payoutsPath, payout, options)
}

// Approve approves a payout that another holder asked for. It is then sent once.
//
// The values in repeat must be the payout's; nil repeats none. It fails with codes such as same_holder.
func (p *Payouts) Approve(ctx context.Context, reference string, repeat *PayoutRepeat, options ...PostOption) (*DecidedPayout, error) {
	return p.decide(ctx, reference, "approve", repeat, options)
}

// Reject rejects a payout that another holder asked for. It is never sent.
func (p *Payouts) Reject(ctx context.Context, reference string, repeat *PayoutRepeat, options ...PostOption) (*DecidedPayout, error) {
	return p.decide(ctx, reference, "reject", repeat, options)
}

// Cancel stops a payout that was not given to the rail. The holder who asked for it may do this too.
func (p *Payouts) Cancel(ctx context.Context, reference string, options ...PostOption) (*DecidedPayout, error) {
	return p.decide(ctx, reference, "cancel", nil, options)
}

// Get returns the current state, never behind. It fails with not_found.
func (p *Payouts) Get(ctx context.Context, reference string) (*Transaction, error) {
	return item(ctx, p.link, payoutsPath+"/"+signing.EncodePart(reference))
}

func (p *Payouts) decide(
	ctx context.Context, reference, verb string, repeat *PayoutRepeat, options []PostOption,
) (*DecidedPayout, error) {
	if repeat == nil {
		repeat = &PayoutRepeat{}
	}
	path := payoutsPath + "/" + signing.EncodePart(reference) + "/" + verb
	return post[DecidedPayout](ctx, p.link, path, repeat, options)
}
