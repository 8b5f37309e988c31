import { type Connection } from '../http/connection.js';
import { amountDigits } from '../json.js';
import {
  type CallOptions,
  type DecidedPayout,
  type DecidedPayoutBatch,
  type NewPayout,
  type PayoutBatchRepeat,
  type PayoutRepeat,
  type RequestedPayout,
  type Transaction,
} from '../types.js';
import { bodyOf, type CreateOptions, createOnce, keyOf } from './collections.js';

/** Money to customers' phones. One holder asks, another approves, each with a credential of their own. */
export class Payouts {
  constructor(private readonly connection: Connection) {}

  /**
   * Asks for a payout. Its amount and fee are reserved, and it waits for another holder. If the reference exists, the
   * call returns its current state.
   * @throws PesaPostError; `insufficient_funds`, `limit_exceeded`, `destination_not_allowed`; `different_payout`: the
   *   reference exists, for another amount, phone or account than this one
   */
  async request(payout: NewPayout, options: CreateOptions = {}): Promise<RequestedPayout> {
    const call = { path: '/api/v4/payouts', body: bodyOf(payout) };
    return createOnce(this.connection, call, options);
  }

  /**
   * Approves a payout that another holder asked for. It is then sent once. The values in `repeat` must be the payout's.
   * @throws PesaPostError; `same_holder`, `not_pending_approval`
   */
  approve(reference: string, repeat: PayoutRepeat = {}, options: CreateOptions = {}) {
    return this.decide('approve', reference, { repeat, options });
  }

  /** Rejects a payout that another holder asked for. It is never sent. @throws as `approve` */
  reject(reference: string, repeat: PayoutRepeat = {}, options: CreateOptions = {}) {
    return this.decide('reject', reference, { repeat, options });
  }

  /**
   * Stops a payout that was not given to the rail, approved or not. The holder who asked for it may do this too.
   * @throws PesaPostError; `not_cancellable`: it was given to the rail, or has ended otherwise
   */
  cancel(reference: string, options: CreateOptions = {}): Promise<DecidedPayout> {
    return decideOnce(this.connection, `${pathOf(reference)}/cancel`, { repeat: {}, options });
  }

  /** Returns the payout's current state, never behind. @throws PesaPostError, `not_found` if there is none */
  async get(reference: string, { signal }: CallOptions = {}): Promise<Transaction> {
    const { body } = await this.connection.send({ method: 'GET', path: pathOf(reference), signal });
    return body as unknown as Transaction;
  }

  private decide(
    verdict: 'approve' | 'reject',
    reference: string,
    { repeat, options }: { readonly repeat: PayoutRepeat; readonly options: CreateOptions },
  ): Promise<DecidedPayout> {
    return decideOnce(this.connection, `${pathOf(reference)}/${verdict}`, { repeat, options });
  }
}

/** Sends a second holder's decision, under one key however often it is sent. */
export async function decideOnce<Decided extends DecidedPayout | DecidedPayoutBatch>(
  connection: Connection,
  path: string,
  {
    repeat,
    options,
  }: { readonly repeat: PayoutRepeat & PayoutBatchRepeat; readonly options: CreateOptions },
): Promise<Decided> {
  const { body, replayed, ledgerPosition } = await connection.send({
    method: 'POST',
    path,
    body: repeated(repeat),
    idempotencyKey: keyOf(options),
    signal: options.signal,
  });
  return { ...body, replayed, ledgerPosition } as unknown as Decided;
}

function pathOf(reference: string): string {
  return `/api/v4/payouts/${encodeURIComponent(reference)}`;
}

/** JSON.stringify does not support bigint, and not every runtime accepts raw digits. */
function repeated({ phone, count, amount_minor }: PayoutRepeat & PayoutBatchRepeat): string {
  const digits = Object.entries({ count, amount_minor }).flatMap(([name, amount]) =>
    amount === undefined ? [] : [`"${name}":${amountDigits(name, amount)}`],
  );
  return `{${[...(phone === undefined ? [] : [`"phone":${JSON.stringify(phone)}`]), ...digits].join(',')}}`;
}
