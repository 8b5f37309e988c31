package pesapost

import (
	"context"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const batchesPath = "/api/v4/payout-batches"

// PayoutBatches are many payouts as one batch: one holder asks for it, another approves all of it.
type PayoutBatches struct{ link *connection }

// Create asks for up to 1,000 payouts: all are reserved, or none.
//
// Error.Detail names a bad item by its index. The call fails if the reference exists for other payouts (Error.Differs).
func (b *PayoutBatches) Create(ctx context.Context, batch NewPayoutBatch, options ...PostOption) (*RequestedPayoutBatch, error) {
	return post[RequestedPayoutBatch](ctx, b.link, batchesPath, batch, options)
}

// Approve approves all payouts of a batch that another holder asked for. Each is then sent once.
func (b *PayoutBatches) Approve(ctx context.Context, reference string, repeat *PayoutBatchRepeat, options ...PostOption) (*DecidedPayoutBatch, error) {
	return b.decide(ctx, reference, "approve", repeat, options)
}

// Reject rejects all payouts of a batch. None is ever sent.
func (b *PayoutBatches) Reject(ctx context.Context, reference string, repeat *PayoutBatchRepeat, options ...PostOption) (*DecidedPayoutBatch, error) {
	return b.decide(ctx, reference, "reject", repeat, options)
}

// Cancel stops the payouts of a batch that were not given to the rail.
func (b *PayoutBatches) Cancel(ctx context.Context, reference string, options ...PostOption) (*DecidedPayoutBatch, error) {
	return b.decide(ctx, reference, "cancel", nil, options)
}

// Get returns the batch, with its payouts' counts and sums by status.
func (b *PayoutBatches) Get(ctx context.Context, reference string, options ...ReadOption) (*PayoutBatchSummary, error) {
	return get[PayoutBatchSummary](ctx, b.link, batchesPath+"/"+signing.EncodePart(reference), nil, options)
}

func (b *PayoutBatches) decide(
	ctx context.Context, reference, verb string, repeat *PayoutBatchRepeat, options []PostOption,
) (*DecidedPayoutBatch, error) {
	if repeat == nil {
		repeat = &PayoutBatchRepeat{}
	}
	path := batchesPath + "/" + signing.EncodePart(reference) + "/" + verb
	return post[DecidedPayoutBatch](ctx, b.link, path, repeat, options)
}
