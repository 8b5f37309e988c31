import { pesaPostError, PesaPostError } from '../errors/pesapost-error.js';
import { type Connection } from '../http/connection.js';
import { expired, sleep, underDeadline } from '../http/deadline.js';
import { isRetryable } from '../http/retry.js';
import { amountDigits } from '../json.js';
import { inRange } from '../options.js';
import {
  type CallOptions,
  type CreatedCollection,
  type ExpectedPayment,
  type NewCollection,
  type NewExpectedPayment,
  type NewRefund,
  type Receipt,
  type RequestedPayout,
  type Transaction,
} from '../types.js';

export interface CreateOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. If omitted, a random key is made for the call and kept through its retries. Set
   * your own, stored with the order, if another process may have to repeat the call.
   */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends CallOptions {
  /** The limit for the whole wait; 120 s if omitted, because a prompt on a phone lasts about a minute. */
  readonly timeoutMs?: number;
}

const defaultWaitMs = 120_000;
const firstPauseMs = 500;
const maxPauseMs = 5_000;
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Money from customers' phones. */
export class Collections {
  constructor(private readonly connection: Connection) {}

  /**
   * Sends a push to the customer's phone. Money moves only when the customer confirms: see `waitUntilSettled`, or
   * webhooks. If the reference exists, the call returns its current state and pushes nothing.
   * @throws PesaPostError; `rail_rejected`: the rail refused the push, and the collection is recorded as failed;
   *   `different_collection`: the reference exists, for another amount, phone or account than this one
   */
  async create(collection: NewCollection, options: CreateOptions = {}): Promise<CreatedCollection> {
    const call = { path: '/api/v4/collections', body: bodyOf(collection) };
    return createOnce(this.connection, call, options);
  }

  /**
   * Expects a payment without a push: show the customer `pay_to`. It is settled like any collection: see
   * `waitUntilSettled`, or webhooks.
   * @throws PesaPostError; `different_collection`: the reference exists, for another amount or account than this one
   */
  async expect(payment: NewExpectedPayment, options: CreateOptions = {}): Promise<ExpectedPayment> {
    const call = { path: '/api/v4/expected-payments', body: bodyOf(payment) };
    return createOnce(this.connection, call, options);
  }

  /**
   * Gives a completed collection back to the customer, as a whole or in part. The refund is a payout: another holder
   * approves it with `payouts.approve`, under the refund's own reference. If that reference exists, the call returns
   * its current state.
   * @param collection the reference of the collection
   * @throws PesaPostError; `not_refundable`, `insufficient_funds`, `limit_exceeded`; `different_payout`: the reference
   *   exists, for another collection, amount or phone than this one
   */
  async refund(
    collection: string,
    refund: NewRefund,
    options: CreateOptions = {},
  ): Promise<RequestedPayout> {
    const path = `/api/v4/collections/${encodeURIComponent(collection)}/refund`;
    return createOnce(this.connection, { path, body: bodyOf(refund) }, options);
  }

  /** Returns the collection's current state, never behind. @throws PesaPostError, `not_found` if there is none */
  async get(reference: string, { signal }: CallOptions = {}): Promise<Transaction> {
    const path = `/api/v4/collections/${encodeURIComponent(reference)}`;
    const { body } = await this.connection.send({ method: 'GET', path, signal });
    return body as unknown as Transaction;
  }

  /**
   * Returns a receipt that anyone can check without trusting PesaPost. Store it unchanged, and check it with the
   * service's `verifier/verify.mjs`. Each day is sealed a few minutes after its end; before that, a posting's `proof`
   * is null.
   * @throws PesaPostError, `not_found` if there is no such collection
   */
  async receipt(reference: string, { signal }: CallOptions = {}): Promise<Receipt> {
    const path = `/api/v4/collections/${encodeURIComponent(reference)}/receipt`;
    const { body } = await this.connection.send({ method: 'GET', path, signal });
    return body as unknown as Receipt;
  }

  /**
   * Polls until the collection is `completed` or `failed` (SDK-16). It keeps polling after no answer, 429 and 503. A
   * failed collection can still become `completed` if the rail brings the money late, so keep listening to webhooks.
   * @throws PesaPostError, `not_settled` when time is up
   */
  async waitUntilSettled(
    reference: string,
    { timeoutMs = defaultWaitMs, signal }: WaitOptions = {},
  ): Promise<Transaction> {
    inRange('timeoutMs', timeoutMs, 1);
    const seen: Seen = { last: undefined, asked: 0 };
    const settled = await underDeadline(timeoutMs, signal, (whileWaiting) =>
      this.askUntilSettled(reference, seen, whileWaiting),
    );
    if (settled !== expired) return settled;
    const call = `GET /api/v4/collections/${encodeURIComponent(reference)}`;
    throw pesaPostError(
      { code: 'not_settled', kind: 'not_settled', reference, timeoutMs, last: seen.last },
      { call, attempts: seen.asked, idempotencyKey: undefined },
    );
  }

  private async askUntilSettled(
    reference: string,
    seen: Seen,
    signal: AbortSignal,
  ): Promise<Transaction> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      seen.asked += 1;
      try {
        seen.last = await this.get(reference, { signal });
        if (seen.last.status === 'completed' || seen.last.status === 'failed') return seen.last;
      } catch (error) {
        if (!(error instanceof PesaPostError) || !isRetryable(error)) throw error;
      }
      // Many callers may wait at the same time, and they should not all ask at once.
      await sleep(pauseMs * (1 - Math.random() / 4), signal);
    }
  }
}

/**
 * Makes a call that creates an item, under one key however often it is sent, and says if it existed before.
 * @throws PesaPostError; `different_…` if the reference belongs to another item
 */
export async function createOnce<Created extends { readonly existing: boolean }>(
  connection: Connection,
  { path, body }: { readonly path: string; readonly body: string },
  options: CreateOptions,
): Promise<Created> {
  const { signal } = options;
  const idempotencyKey = keyOf(options);
  const call = { method: 'POST', path, body, idempotencyKey, signal };
  const { body: created, ledgerPosition, replayed, existing } = await connection.send(call);
  return { ...(created as unknown as Created), ledgerPosition, replayed, existing };
}

/** Returns the call's key (SDK-4). @throws TypeError for a key that cannot be sent */
export function keyOf({ idempotencyKey = crypto.randomUUID() }: CreateOptions): string {
  if (!keyPattern.test(idempotencyKey))
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
  return idempotencyKey;
}

interface Seen {
  last: Transaction | undefined;
  asked: number;
}

type NewItem = NewCollection | NewExpectedPayment | NewRefund;

/** JSON.stringify does not support bigint, and not every runtime accepts raw digits. */
export function bodyOf({ amount_minor, ...item }: NewItem): string {
  const { account_no, phone, currency, channel, reference }: Partial<NewCollection> = item;
  const rest = JSON.stringify({ account_no, phone, currency, channel, reference });
  if (amount_minor === undefined) return rest;
  return `{"amount_minor":${amountDigits('amount_minor', amount_minor)},${rest.slice(1)}`;
}
