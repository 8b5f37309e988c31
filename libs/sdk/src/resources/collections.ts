import { type Failure } from '../errors/failure.js';
import { pesaPostError, PesaPostError } from '../errors/pesapost-error.js';
import { type Connection } from '../http/connection.js';
import { expired, sleep, underDeadline } from '../http/deadline.js';
import { isRetryable } from '../http/retry.js';
import { amountDigits } from '../json.js';
import { inRange } from '../options.js';
import {
  type CallOptions,
  type CreatedCollection,
  type NewCollection,
  type Receipt,
  type Transaction,
} from '../types.js';

export interface CreateOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. Where left out, a random one is made for the call and kept through its
   * retries; give your own, stored beside the order, where another process may have to repeat the call.
   */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends CallOptions {
  /** For the whole wait; 120 s where left out: a prompt on a phone lives about a minute. */
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
   * Sends a push to the customer's phone. Money moves only when the customer confirms: see `waitUntilSettled`,
   * or webhooks. A reference that exists gives its current state and pushes nothing.
   * @throws PesaPostError; `rail_rejected`: the rail refused the push, the collection is recorded as failed;
   *   `different_collection`: the reference exists, for another amount, phone or account than this one
   */
  create(collection: NewCollection, options: CreateOptions = {}): Promise<CreatedCollection> {
    return createOnce(this.connection, collection, { ...options, what: 'collection' });
  }

  /** The collection's current state, never behind. @throws PesaPostError, `not_found` where there is none */
  async get(reference: string, { signal }: CallOptions = {}): Promise<Transaction> {
    const path = `/api/v4/collections/${encodeURIComponent(reference)}`;
    const { body } = await this.connection.send({ method: 'GET', path, signal });
    return body as unknown as Transaction;
  }

  /**
   * A receipt that anybody can check without trusting PesaPost: keep it as it is, and check it with the service's
   * `verifier/verify.mjs`. Each day is sealed a few minutes after its end; before, a posting's `proof` is null.
   * @throws PesaPostError, `not_found` where there is no such collection
   */
  async receipt(reference: string, { signal }: CallOptions = {}): Promise<Receipt> {
    const path = `/api/v4/collections/${encodeURIComponent(reference)}/receipt`;
    const { body } = await this.connection.send({ method: 'GET', path, signal });
    return body as unknown as Receipt;
  }

  /**
   * Asks until the collection is `completed` or `failed`. No answer, 429 and 503 are waited through. A failed
   * collection can still become `completed` if the rail brings the money late: keep listening to webhooks.
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
      // Many wait for their customers at once; they should not all ask at once.
      await sleep(pauseMs * (1 - Math.random() / 4), signal);
    }
  }
}

/**
 * The call that makes a collection or asks for a payout, and tells whether it was there before.
 * @throws PesaPostError; `different_collection` or `different_payout` where the reference is another's
 */
export async function createOnce(
  connection: Connection,
  item: NewCollection,
  { what, ...options }: CreateOptions & { readonly what: 'collection' | 'payout' },
): Promise<CreatedCollection> {
  const idempotencyKey = keyOf(options);
  const path = `/api/v4/${what}s`;
  const { body, differs, attempts, ...facts } = await connection.send({
    method: 'POST',
    path,
    body: bodyOf(item),
    idempotencyKey,
    signal: options.signal,
  });
  const created = { ...(body as unknown as CreatedCollection), ...facts };
  if (differs.length === 0) return created;
  const { reference } = item;
  const told = { kind: 'refused', reference, differs, existing: created } as const;
  const failure: Failure =
    what === 'payout'
      ? { code: 'different_payout', ...told }
      : { code: 'different_collection', ...told };
  throw pesaPostError(failure, { call: `POST ${path}`, attempts, idempotencyKey });
}

/** @throws TypeError for a key that cannot be sent */
export function keyOf({ idempotencyKey = crypto.randomUUID() }: CreateOptions): string {
  if (!keyPattern.test(idempotencyKey))
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters');
  return idempotencyKey;
}

interface Seen {
  last: Transaction | undefined;
  asked: number;
}

/** JSON.stringify knows no bigint, and not every runtime can be handed raw digits. */
function bodyOf({ account_no, phone, amount_minor, currency, channel, reference }: NewCollection) {
  const rest = JSON.stringify({ account_no, phone, currency, channel, reference });
  return `{"amount_minor":${amountDigits('amount_minor', amount_minor)},${rest.slice(1)}`;
}
