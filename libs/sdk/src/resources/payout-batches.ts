import { type Connection } from '../http/connection.js';
import { amountDigits } from '../json.js';
import {
  type DecidedPayoutBatch,
  type NewPayoutBatch,
  type PayoutBatchRepeat,
  type PayoutBatchSummary,
  type ReadOptions,
  type RequestedPayoutBatch,
} from '../types.js';
import { createOnce, type CreateOptions } from './collections.js';
import { decideOnce } from './payouts.js';

const path = '/api/v4/payout-batches';

/** Many payouts as one batch: one holder asks for it, another approves all of it. */
export class PayoutBatches {
  constructor(private readonly connection: Connection) {}

  /**
   * Asks for up to 1,000 payouts: all are reserved, or none. If the reference exists, the call returns its current
   * state.
   * @throws PesaPostError; `detail` names a bad item by its index, `items[2].phone: …`; `different_payout_batch`: the
   *   reference exists, for other payouts than these
   */
  async create(batch: NewPayoutBatch, options: CreateOptions = {}): Promise<RequestedPayoutBatch> {
    return createOnce(this.connection, { path, body: bodyOf(batch) }, options);
  }

  /**
   * Approves all payouts of a batch that another holder asked for. Each is then sent once.
   * @throws PesaPostError; `same_holder`, `not_pending_approval`
   */
  approve(reference: string, repeat: PayoutBatchRepeat = {}, options: CreateOptions = {}) {
    return this.decide('approve', reference, { repeat, options });
  }

  /** Rejects all payouts of a batch. None is ever sent. @throws as `approve` */
  reject(reference: string, repeat: PayoutBatchRepeat = {}, options: CreateOptions = {}) {
    return this.decide('reject', reference, { repeat, options });
  }

  /**
   * Stops the payouts of a batch that were not given to the rail. An approved batch stays `pending`, and each payout's
   * own status shows its outcome.
   * @throws PesaPostError; `not_cancellable`: it has no payout left that can be stopped
   */
  cancel(reference: string, options: CreateOptions = {}): Promise<DecidedPayoutBatch> {
    return decideOnce(this.connection, `${pathOf(reference)}/cancel`, { repeat: {}, options });
  }

  /**
   * Returns the batch, with its payouts' counts and sums by status.
   * @throws PesaPostError, `not_found` if there is none
   */
  async get(
    reference: string,
    { minPosition, signal }: ReadOptions = {},
  ): Promise<PayoutBatchSummary> {
    const { body, ledgerPosition } = await this.connection.send({
      method: 'GET',
      path: pathOf(reference),
      minPosition,
      signal,
    });
    return { ...(body as unknown as PayoutBatchSummary), ledgerPosition };
  }

  private decide(
    verdict: 'approve' | 'reject',
    reference: string,
    { repeat, options }: { readonly repeat: PayoutBatchRepeat; readonly options: CreateOptions },
  ): Promise<DecidedPayoutBatch> {
    return decideOnce(this.connection, `${pathOf(reference)}/${verdict}`, { repeat, options });
  }
}

function pathOf(reference: string): string {
  return `${path}/${encodeURIComponent(reference)}`;
}

/** JSON.stringify does not support bigint, and not every runtime accepts raw digits. */
function bodyOf({ items, reference, account_no, currency, channel }: NewPayoutBatch): string {
  const written = items.map(
    ({ amount_minor, reference: its, phone }) =>
      `{"amount_minor":${amountDigits('amount_minor', amount_minor)},"reference":${JSON.stringify(its)},"phone":${JSON.stringify(phone)}}`,
  );
  const rest = JSON.stringify({ reference, account_no, currency, channel });
  return `{"items":[${written.join(',')}],${rest.slice(1)}`;
}
