import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
} from '#domain/event-sourcing';
import { payoutStream } from '#domain/payouts';
import { MemoryLog, signedHeaders, type ThrowAwayDatabase } from '#testing';
import { allowedAddress, askToken, issueCredential, privateKey, useEdge } from '../../test/edge.js';
import { payoutParts } from '../../test/payout-parts.js';
import { account } from '../../test/ports.js';

/** A log whose next append of a decision breaks off, before it or with its answer. */
class BreakingLog extends MemoryLog {
  breaksOff: 'before' | 'answer' | undefined;

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) {
    const isDecision = /^Payout(Approved|Rejected)$/.test(events[0]?.event.type ?? '');
    const when = isDecision ? this.breaksOff : undefined;
    if (isDecision) this.breaksOff = undefined;
    if (when === 'before') throw new EventStoreUnavailable('no answer');
    const appended = await super.append(stream, expected, events);
    if (when === 'answer') throw new EventStoreUnavailable('no answer');
    return appended;
  }
}

const log = new BreakingLog();
let postgres: ThrowAwayDatabase;
let app: NestFastifyApplication;
/** Access tokens: of the holder that asks, and of two credentials of the holder that decides. */
let tokens: { readonly maker: string; readonly checker: string; readonly second: string };
useEdge(
  async (...started) => {
    [app, postgres] = started;
    await postgres.database.query(`update checkpoint set fresh_at = now() + interval '1 hour'`);
    const tokenOf = async (holder: string) => {
      const answer = await askToken(app, await issueCredential(postgres.database, holder));
      return answer.json<{ access_token: string }>().access_token;
    };
    tokens = {
      maker: await tokenOf('maker'),
      checker: await tokenOf('checker'),
      second: await tokenOf('checker'),
    };
  },
  log,
  payoutParts(log),
);

async function call(accessToken: string, path: string, key: string, body: object = {}) {
  const request = { method: 'POST', url: `/api/v4/${path}`, body: JSON.stringify(body) } as const;
  const answer = await app.inject({
    method: 'POST',
    url: request.url,
    payload: request.body,
    remoteAddress: allowedAddress,
    headers: {
      ...signedHeaders({ privateKey, accessToken }, request),
      'idempotency-key': key,
    },
  });
  const { status, error } = answer.json<{ status?: string; error?: string }>();
  const isReplay = answer.headers['idempotent-replayed'] === 'true';
  return [answer.statusCode, status ?? error, ...(isReplay ? ['replayed'] : [])];
}

let made = 0;
let reference: string;
let stream: string;
const item = { phone: '254712345678', amount_minor: 1000 };
const terms = { account_no: account.accountNo, currency: 'KES', channel: 'mpesa' };
const request = () =>
  call(tokens.maker, 'payouts', `ask-${reference}`, {
    ...terms,
    ...item,
    reference,
  });
const decide = (verdict: 'approve' | 'reject', key: string, token = tokens.checker) =>
  call(token, `payouts/${reference}/${verdict}`, `${reference}-${key}`);
const approve = (key: string, token?: string) => decide('approve', key, token);
const decisions = () =>
  (log.streams.get(stream) ?? [])
    .map(({ type }) => type)
    .filter((type) => type === 'PayoutApproved' || type === 'PayoutRejected');

/** The worker sends the payout back to its approvers. */
async function expire(): Promise<void> {
  const event = { type: 'PayoutApprovalExpired', data: { why: 'age' } };
  const actor = { kind: 'system', id: 'worker' } as const;
  const metadata = { v: 1, correlationId: 'expiry', actor };
  const last = log.streams.get(stream)?.at(-1);
  await log.append(stream, last?.revision ?? 'no_stream', [{ id: randomUUID(), event, metadata }]);
}

/** Makes all claims as old as those of processes that died. */
const ageClaims = () =>
  postgres.database.query(
    `update records.idempotency_claims set claimed_at = claimed_at - interval '2 minutes'`,
  );

beforeEach(() => {
  reference = `PAY-${(made += 1)}`;
  stream = payoutStream({ mode: 'demo', merchantId: account.merchantId, reference });
});

describe('the key of an approval that expired (PAY-65)', () => {
  beforeEach(async () => {
    expect(await request()).toEqual([202, 'pending_approval']);
    expect(await approve('key-1')).toEqual([202, 'pending']);
    expect(await approve('key-1')).toEqual([202, 'pending', 'replayed']);
    await expire();
    await ageClaims();
  });

  it('approves nothing again and returns the current state as a replay', async () => {
    expect(await approve('key-1')).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toEqual(['PayoutApproved']);
  });

  it('counts as used for each credential of the holder, and for other holders', async () => {
    expect(await approve('key-1', tokens.second)).toEqual([202, 'pending_approval', 'replayed']);
    expect(await approve('key-1', tokens.maker)).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toEqual(['PayoutApproved']);
  });

  it('stays used after a new approval with a new key, and after that expires', async () => {
    expect(await approve('key-2', tokens.second)).toEqual([202, 'pending']);
    for (const key of ['key-1', 'key-2'])
      expect(await approve(key)).toEqual([202, 'pending', 'replayed']);
    await expire();
    await ageClaims();
    for (const key of ['key-1', 'key-2'])
      expect(await approve(key)).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toHaveLength(2);
    expect(await approve('key-3')).toEqual([202, 'pending']);
  });

  it('is still refused for other fields', async () => {
    const path = `payouts/${reference}/approve`;
    const other = await call(tokens.checker, path, `${reference}-key-1`, { amount_minor: 1000 });
    expect(other).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('the first call of a new approval', () => {
  beforeEach(async () => {
    await request();
    await approve('key-1');
    await expire();
  });

  it('may be repeated with its own key if it broke off before its append', async () => {
    log.breaksOff = 'before';
    expect(await approve('key-2')).toEqual([503, 'service_unavailable']);
    expect(await approve('key-2', tokens.second)).toEqual([202, 'pending']);
    expect(decisions()).toHaveLength(2);
  });

  it('is not repeated if its answer was lost, either before or after the expiry', async () => {
    log.breaksOff = 'answer';
    expect(await approve('key-2')).toEqual([503, 'service_unavailable']);
    expect(await approve('key-2')).toEqual([202, 'pending', 'replayed']);
    await expire();
    await ageClaims();
    expect(await approve('key-2')).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toHaveLength(2);
  });

  it('counts as done if it broke off and another approval has expired since', async () => {
    log.breaksOff = 'before';
    expect(await approve('key-2')).toEqual([503, 'service_unavailable']);
    expect(await approve('key-3')).toEqual([202, 'pending']);
    await expire();
    await ageClaims();
    expect(await approve('key-2')).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toHaveLength(2);
  });
});

describe('a final decision', () => {
  it('remains the answer of its key if it is a rejection', async () => {
    await request();
    expect(await decide('reject', 'key-1')).toEqual([202, 'rejected']);
    await ageClaims();
    expect(await decide('reject', 'key-1', tokens.second)).toEqual([202, 'rejected', 'replayed']);
    expect(decisions()).toEqual(['PayoutRejected']);
  });

  it('remains the answer of its key for a batch, even after the approval of its payouts expired', async () => {
    const batch = `${reference}-B`;
    const body = { ...terms, reference: batch, items: [{ ...item, reference }] };
    expect(await call(tokens.maker, 'payout-batches', 'ask-batch', body)).toEqual([
      202,
      'pending_approval',
    ]);
    const approveBatch = () =>
      call(tokens.checker, `payout-batches/${batch}/approve`, 'approve-batch');
    expect(await approveBatch()).toEqual([202, 'pending']);
    await expire();
    await ageClaims();
    expect(await approveBatch()).toEqual([202, 'pending', 'replayed']);
    expect(decisions()).toEqual(['PayoutApproved']);
    // From now on the payout is approved on its own.
    expect(await approve('key-1')).toEqual([202, 'pending']);
    await expire();
    await ageClaims();
    expect(await approve('key-1')).toEqual([202, 'pending_approval', 'replayed']);
    expect(decisions()).toHaveLength(2);
  });
});
