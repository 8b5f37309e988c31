import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Keyring, openEvidence, sealToken } from '#shared/signing';
import {
  accepted,
  declinedCallback,
  paidCallback,
  phone,
  proxyAddress,
  railAddress,
  RailHarness,
  untrustedAddress,
} from '../../../../../test/rail/harness.js';

let harness: RailHarness;
const acknowledged = [200, { ResultCode: 0, ResultDesc: 'Accepted' }];
const unavailable = [503, { error: 'service_unavailable' }];
const untouched = ['CollectionIntentRecorded', 'RailPushAccepted'];
const posted = [...untouched, 'RailConfirmed', 'WalletPosted'];

beforeAll(async () => {
  harness = await RailHarness.start();
});
afterAll(() => harness.stop());
afterEach(() => {
  harness.store.isAway = false;
  harness.database.isAway = false;
});

describe('a callback of the rail about a push that we know', () => {
  it('is posted before it is acknowledged, on evidence that the records contain', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(push.railReference);
    expect(await harness.callBack(stream, body)).toEqual(acknowledged);

    const history = await harness.history(stream);
    expect(history.map(({ type }) => type)).toEqual(posted);
    const [, , confirmed, wallet] = history;
    expect(confirmed?.data).toEqual({
      by: 'callback',
      resultCode: '0',
      receipt: 'NLJ7RT61SV',
      amountMinor: 25_000n,
      paidAt: '2026-01-02T00:04:05.000Z',
    });
    expect(wallet?.data).toMatchObject({ amountMinor: 25_000n, feeMinor: 375n });
    expect(wallet?.metadata.actor).toEqual({ kind: 'rail', id: 'mpesa' });

    const [row, ...others] = await harness.messagesOf(stream);
    expect([row?.id, others]).toEqual([wallet?.metadata.causationId, []]);
    if (!row || !wallet?.metadata.evidence) throw new Error('there is no evidence');
    expect(harness.opened(row).toString()).toBe(body);
    const { evidence, commitment = '' } = wallet.metadata;
    const { json } = openEvidence(harness.keyring, { evidence, commitment }, row.ownKey);
    expect(JSON.parse(json.toString())).toEqual({
      sourceAddress: '196.201.214.200',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(wallet.data).toMatchObject({ railCommitment: commitment });
    expect(await harness.inboxOf(stream)).toEqual([]);
  });

  it('posts once if it comes twice, at once or later', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(push.railReference);
    const answers = await Promise.all([1, 2, 3].map(() => harness.callBack(stream, body)));
    answers.push(await harness.callBack(stream, body));
    expect(answers).toEqual([acknowledged, acknowledged, acknowledged, acknowledged]);
    expect(await harness.types(stream)).toEqual(posted);
  });

  it('ends the collection if it reports a failure, and a later success is still posted', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, declinedCallback(push.railReference, 1037));
    expect((await harness.history(stream)).at(-1)).toMatchObject({
      type: 'RailDeclined',
      data: { by: 'callback', failureCode: 'no_answer' },
    });
    await harness.callBack(stream, paidCallback(push.railReference));
    expect(await harness.types(stream)).toEqual([
      ...untouched,
      'RailDeclined',
      'RailConfirmed',
      'WalletPosted',
    ]);
  });

  it('is timed from its arrival to its posting if it reports a payment, but not if it reports a failure', async () => {
    const count = () => harness.timedPostings('direct');
    const before = await count();
    const [push, other] = [accepted(), accepted()];
    const stream = await harness.collection(push);
    await harness.callBack(stream, paidCallback(push.railReference));
    expect(await count()).toBe(before + 1);
    const failed = await harness.collection(other);
    await harness.callBack(failed, declinedCallback(other.railReference, 1037));
    expect(await count()).toBe(before + 1);
  });

  it('goes to suspense with exactly the amount that arrived if that is another amount', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    await harness.callBack(stream, paidCallback(push.railReference, { amount: '250.01' }));
    expect((await harness.history(stream)).slice(2)).toMatchObject([
      { type: 'AmountMismatchRecorded', data: { amountMinor: 25_001n, receipt: 'NLJ7RT61SV' } },
      { type: 'SuspensePosted', data: { amountMinor: 25_001n } },
    ]);
  });

  it('settles nothing if its code is unknown, and its bytes are kept', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    expect(await harness.callBack(stream, declinedCallback(push.railReference, 4242))).toEqual(
      acknowledged,
    );
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.messagesOf(stream)).toHaveLength(1);
  });
});

describe('a callback that cannot be believed at once', () => {
  it.each([
    ['the rail', proxyAddress, railAddress, true],
    [
      'another, who names the rail before',
      proxyAddress,
      `${railAddress}, ${untrustedAddress}`,
      false,
    ],
    ['the proxy itself', proxyAddress, undefined, false],
    ['another, past the proxy, who names the rail', untrustedAddress, railAddress, false],
  ])('through a proxy is trusted by its source: %s', async (_, from, forwardedFor, isTrusted) => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(push.railReference);
    expect(await harness.callBack(stream, body, from, forwardedFor)).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(isTrusted ? posted : untouched);
  });

  it.each([
    ['names another checkout than ours', undefined, 'ws_CO_foreign'],
    ['comes from an untrusted sender', untrustedAddress, undefined],
  ])('waits encrypted in the inbox if it %s', async (_, from, reference) => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = paidCallback(reference ?? push.railReference);
    expect(await harness.callBack(stream, body, from)).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.inboxOf(stream)).toMatchObject([{ trusted: from === undefined }]);
    const [row] = await harness.database.query<{ text: string }>(
      `select encode(ciphertext, 'escape') as text from records.callback_inbox where stream = $1`,
      [stream],
    );
    expect(row?.text).not.toContain(phone);
  });

  it.each(['2.5e2', '"1,000.00"', '100.005', 'null'])(
    'waits in the inbox if its amount is %s',
    async (amount) => {
      const push = accepted();
      const stream = await harness.collection(push);
      const body = paidCallback(push.railReference, { amount });
      expect(await harness.callBack(stream, body)).toEqual(acknowledged);
      expect(await harness.types(stream)).toEqual(untouched);
      expect(await harness.inboxOf(stream)).toMatchObject([{ trusted: true, applied: false }]);
      expect(await harness.messagesOf(stream)).toHaveLength(1);
    },
  );

  it('waits in the inbox if the push’s own answer is not known', async () => {
    const stream = await harness.collection({ kind: 'unknown', late: Promise.resolve(undefined) });
    expect(await harness.callBack(stream, paidCallback('ws_CO_early'))).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(['CollectionIntentRecorded']);
    expect(await harness.inboxOf(stream)).toMatchObject([{ trusted: true, applied: false }]);
  });
});

describe('a callback while a server is away', () => {
  it('waits in the inbox if the event store is away', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.store.isAway = true;
    expect(await harness.callBack(stream, paidCallback(push.railReference))).toEqual(acknowledged);
    harness.store.isAway = false;
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.inboxOf(stream)).toMatchObject([{ trusted: true, applied: false }]);
  });

  it('is neither acknowledged nor posted if the records are away, since its bytes are not kept', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.database.isAway = true;
    expect(await harness.callBack(stream, paidCallback(push.railReference))).toEqual(unavailable);
    harness.database.isAway = false;
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.callBack(stream, paidCallback(push.railReference))).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(posted);
  });

  it('is not acknowledged if both are away', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    harness.store.isAway = true;
    harness.database.isAway = true;
    expect(await harness.callBack(stream, paidCallback(push.railReference))).toEqual(unavailable);
  });
});

describe('a callback that cannot be used', () => {
  const flipped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  const otherKeys = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 8) }]);

  it.each([
    ['was tampered with', (stream: string) => flipped(sealToken(harness.keyring, stream))],
    ['is of another key', (stream: string) => sealToken(otherKeys, stream)],
    ['is in capitals', (stream: string) => sealToken(harness.keyring, stream).toUpperCase()],
    ['names no collection', () => sealToken(harness.keyring, 'merchant-m1')],
    ['is the stream’s plain name', (stream: string) => encodeURIComponent(stream)],
  ])('changes nothing if its token %s', async (_, tokenOf) => {
    const push = accepted();
    const stream = await harness.collection(push);
    const before = await outcomes('no_token');
    const answer = await harness.post(tokenOf(stream), paidCallback(push.railReference));
    expect(answer).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await outcomes('no_token')).toBe(before + 1);
  });

  it('gets the usual answer and waits in the inbox if its stream does not exist', async () => {
    const stream = 'collection-demo:nobody:nothing';
    expect(await harness.callBack(stream, paidCallback('ws_CO_1'))).toEqual(acknowledged);
    expect(await harness.history(stream)).toEqual([]);
    expect(await harness.inboxOf(stream)).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'paid!'],
    ['empty', ''],
    ['another object', '{"status":"completed"}'],
  ])('changes nothing if its body is %s', async (_, body) => {
    const push = accepted();
    const stream = await harness.collection(push);
    const before = await outcomes('no_callback');
    expect(await harness.callBack(stream, body)).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.inboxOf(stream)).toEqual([]);
    expect(await outcomes('no_callback')).toBe(before + 1);
  });

  it('gets a 413 over 64 KiB, is counted by the edge, and changes nothing', async () => {
    const stream = await harness.collection();
    expect(await harness.callBack(stream, 'x'.repeat(64 * 1024 + 1))).toEqual([
      413,
      { error: 'payload_too_large' },
    ]);
    expect(await harness.types(stream)).toEqual(untouched);
    expect(await harness.inboxOf(stream)).toEqual([]);
    expect(await harness.metrics.registry.metrics()).toMatch(
      /http_requests_total\{method="POST",route="\/rails\/:token",status="413"\} 1/,
    );
  });

  it('is not kept if untrusted senders have sent 64 before, but the rail’s own still is', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const before = await outcomes('too_many');
    await harness.database.query(
      `insert into records.callback_inbox (id, stream, key_id, ciphertext, source_address, trusted, applied_at)
         select gen_random_uuid(), $1, 'k1', '', '::1', false, now() from generate_series(1, 64)`,
      [stream],
    );
    const body = paidCallback(push.railReference);
    expect(await harness.callBack(stream, body, untrustedAddress)).toEqual(unavailable);
    expect([await harness.inboxOf(stream), await harness.messagesOf(stream)]).toMatchObject([
      { length: 64 },
      { length: 0 },
    ]);
    expect(await outcomes('too_many')).toBe(before + 1);
    expect(await harness.callBack(stream, body)).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(posted);
  });

  it('counts among the 64 of untrusted senders even if its code settles nothing', async () => {
    const push = accepted();
    const stream = await harness.collection(push);
    const body = declinedCallback(push.railReference, 4999);
    const answers = [];
    for (let sent = 0; sent < 66; sent += 1)
      answers.push(await harness.callBack(stream, body, untrustedAddress));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(64);
    expect((await harness.messagesOf(stream)).length).toBeLessThanOrEqual(64);
    expect(await harness.callBack(stream, paidCallback(push.railReference))).toEqual(acknowledged);
    expect(await harness.types(stream)).toEqual(posted);
  });

  async function outcomes(outcome: string): Promise<number> {
    const { values } = (await harness.metrics
      .counter({ name: 'rail_callbacks_total', help: '', labels: ['outcome'] })
      .get()) as { values: { labels: { outcome?: string }; value: number }[] };
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  }
});

it('no log line contains a token or a phone number', async () => {
  const push = accepted();
  const stream = await harness.collection(push);
  await harness.callBack(stream, paidCallback(push.railReference));
  const log = harness.logLines.join('');
  expect(log).not.toContain(phone);
  expect(log).not.toMatch(/rails\/[0-9a-f]{16}/);
});
