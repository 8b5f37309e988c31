import { type RecordedEvent } from '#domain/event-sourcing';
import { type Verdict } from '#domain/rails';
import { DependencyUnavailable } from '#domain/kernel';
import { type AtCall, MemoryLog, suspendedOnce } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Allowances,
  by,
  byPerson,
  happened,
  NotingRail,
  phone,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../test/scene.js';

const paid: Verdict = { kind: 'paid', resultCode: '0', receipt: 'NLK8RU72TW' };
const declined: Verdict = { kind: 'declined', failureCode: 'rail_declined' };
const approve = { verdict: 'approve', holder: 'joseph' } as const;
const reject = { verdict: 'reject', holder: 'joseph' } as const;
const refused = (refusal: string) => ({ ok: false, refusal });
const stands = (status: string) => ({ ok: true, value: { view: { status } } });
const reservations = 'reservations-demo:m-1:1001:KES';

let log: MemoryLog;
let rail: NotingRail;
let phones: Phones;
let allowances: Allowances;
let made: number;
beforeEach(() => {
  [log, rail, phones, allowances, made] = [
    new MemoryLog(),
    new NotingRail(),
    new Phones(),
    new Allowances(),
    0,
  ];
});

function begin(more: Partial<World> = {}, at?: AtCall) {
  const credits = () => 10_000n;
  const nextId = () => `id-${(made += 1)}`;
  const world = { log, rail, phones, allowances, credits, nextId, feeBasisPoints: 150, ...more };
  return startProcess(world, at);
}
const types = (): string[] => log.events.map(({ type }) => type);
const isListed = ({ type, data }: RecordedEvent): boolean =>
  type === 'ReviewFlagged' && (data as { why: string }).why === 'given_before';
const total = (): bigint =>
  (log.events.findLast(({ stream }) => stream === reservations)?.data as { totalMinor: bigint })
    .totalMinor;

/** Binds the merchant's holders, the oldest binding first. */
async function bind(...bindings: readonly object[]): Promise<void> {
  await happened(log, 'merchant-m-1', [
    ['MerchantRegistered', { merchantId: 'm-1' }],
    ...bindings.map((data) => ['HolderBound', data] as const),
  ]);
}

describe('a payout', () => {
  it('is requested by one holder, approved by another, sent once and posted when the rail reports it', async () => {
    const { request, decide, send, report } = begin();
    expect(await request('p-1', 4000n)).toMatchObject(stands('pending_approval'));
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toMatchObject([{ phone, amountMinor: 4000n, stream: streamOf('p-1') }]);
    expect(await report('p-1', { verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
    await report('p-1', { verdict: paid });
    expect(types()).toEqual([
      ...['PayoutRequested', 'FundsReserved', 'PayoutReserved', 'PayoutApproved'],
      ...['RailPayoutStarted', 'RailPayoutAccepted', 'RailConfirmed', 'WalletPosted'],
    ]);
    expect(log.events.at(-1)?.data).toMatchObject({
      legs: [
        { account: 'wallet:1001', amountMinor: -4060n },
        { account: 'rail-clearing:mpesa', amountMinor: 4000n },
        { account: 'fees', amountMinor: 60n },
      ],
    });
    expect(total()).toBe(4060n);
    expect(phones.kept.size).toBe(0);
  });

  it('carries the trace of its request in each of its events and in its order', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { request, decide, send, report } = begin();
    await request('p-1', 4000n, { metadata: { ...by('asha'), traceparent } });
    await decide('p-1', approve);
    await send('p-1');
    expect(await report('p-1', { verdict: paid })).toMatchObject({ value: { traceparent } });
    expect(rail.orders).toMatchObject([{ traceparent }]);
    const ofPayout = log.events.filter(({ stream }) => stream === streamOf('p-1'));
    expect(ofPayout).toHaveLength(7);
    for (const { metadata } of ofPayout) expect(metadata.traceparent).toBe(traceparent);
    await request('p-2', 1000n);
    expect(log.events.at(-1)?.metadata).not.toHaveProperty('traceparent');
  });

  it('is not sent again if it was sent in a lost log history, and ends as the rail reports', async () => {
    const { request, decide, send, report } = begin();
    await request('p-1', 4000n);
    await decide('p-1', approve);
    // Neither its number nor the float is needed.
    await phones.forget(streamOf('p-1'));
    rail.floatMinor = 0n;
    expect(await send('p-1', true)).toMatchObject({ value: 'asked_about' });
    expect(types().at(-1)).toBe('RailPayoutStarted');
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toEqual([]);
    expect(await report('p-1', { by: 'query', verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
  });

  it('is not rejected if it was sent in a lost log history; once approved, it ends as the rail reports', async () => {
    const { request, decide, send, report } = begin({ orderedBefore: new Set([streamOf('p-1')]) });
    await request('p-1', 4000n);
    expect(await decide('p-1', reject)).toEqual(refused('not_pending_approval'));
    expect(await decide('p-1', reject)).toEqual(refused('not_pending_approval'));
    expect(log.events.filter(isListed)).toHaveLength(1);
    expect(total()).toBe(4060n);
    expect(phones.kept.size).toBe(1);
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await send('p-1', true)).toMatchObject({ value: 'asked_about' });
    expect(await report('p-1', { by: 'query', verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
    await request('p-2', 1000n);
    expect(await decide('p-2', reject)).toMatchObject(stands('rejected'));
  });

  it('is not rejected for insufficient funds if it was sent in a lost log history, and is listed once', async () => {
    let looks = 0;
    const credits = () => ((looks += 1) === 1 ? 10_000n : 0n);
    const orderedBefore = new Set([streamOf('p-1')]);
    const { request, complete } = begin({ credits, orderedBefore });
    expect(await request('p-1', 4000n)).toMatchObject(stands('pending_approval'));
    expect(await complete('p-1')).toEqual({ ok: true, value: 'kept' });
    expect(types()).toEqual(['PayoutRequested', 'ReviewFlagged']);
    expect(phones.kept.size).toBe(1);
  });

  it('keeps its money until two operators decide if it was sent in a lost history and then rejected', async () => {
    const { request, complete, rule, agree } = begin({ orderedBefore: new Set([streamOf('p-1')]) });
    await request('p-1', 4000n);
    const data = { reason: 'rejected_by_holder', amountMinor: 4000n, phoneHmac: 'h' };
    await happened(log, streamOf('p-1'), [['PayoutRejected', data]]);
    expect(await complete('p-1')).toEqual({ ok: true, value: 'kept' });
    expect(await complete('p-1')).toEqual({ ok: true, value: 'kept' });
    expect([log.events.filter(isListed).length, total()]).toEqual([1, 4060n]);
    await rule('p-1', 'asha', { decision: 'failed' });
    expect(await agree('p-1', 'joseph')).toMatchObject({ ok: true });
    expect(total()).toBe(0n);
  });

  it('keeps who asked, who approved and the evidence of both in its own events', async () => {
    const { request, decide } = begin();
    await request('p-1', 4000n);
    await decide('p-1', approve);
    const [asked, approved] = [log.events[0], log.events[3]];
    expect(asked).toMatchObject({
      data: { holder: 'asha', phoneMasked: 'masked' },
      metadata: { actor: { holder: 'asha' }, commitment: expect.any(String) },
    });
    expect(approved).toMatchObject({
      data: { holder: 'joseph', amountMinor: 4000n, phoneHmac: `hmac of ${phone}` },
      metadata: { actor: { holder: 'joseph' }, commitment: expect.any(String) },
    });
    expect(JSON.stringify(log.events, (_key, value: unknown) => String(value))).not.toContain(
      '712345678"',
    );
  });

  it('is rejected if amount and fee exceed the available money, and leaves nothing behind', async () => {
    const { request } = begin();
    expect(await request('p-1', 9_853n)).toEqual(refused('insufficient_funds'));
    expect(log.events).toHaveLength(0);
    expect(phones.kept.size).toBe(0);
    expect(await request('p-1', 9_852n)).toMatchObject(stands('pending_approval'));
  });

  it('is answered with the existing payout if its reference exists, and nothing is recorded', async () => {
    const { request } = begin();
    await request('p-1', 4000n);
    const before = log.events.length;
    const again = await request('p-1', 5000n, { holder: 'joseph', to: '254712345679' });
    expect(again).toMatchObject({ ok: true, value: { existing: { amountMinor: 4000n } } });
    expect(log.events).toHaveLength(before);
  });

  it('is answered with the existing payout even if a new request would now be rejected', async () => {
    const { request } = begin({ terms: { maxMinor: 9000n, maxPerDayMinor: 9000n } });
    await request('p-1', 4000n);
    const counted = allowances.claims.size;
    for (const amountMinor of [9001n, 8000n, 4500n])
      expect(await request('p-1', amountMinor)).toMatchObject({
        value: { existing: { amountMinor: 4000n } },
      });
    expect(allowances.claims.size).toBe(counted);
  });

  it('is answered with the existing payout even if the merchant’s limits cannot be read', async () => {
    await begin().request('p-1', 4000n);
    const { request } = begin({}, (what) =>
      what === 'terms'
        ? Promise.reject(new DependencyUnavailable('read model', 'it stands still'))
        : Promise.resolve(),
    );
    expect(await request('p-1', 4000n)).toMatchObject({
      value: { existing: { amountMinor: 4000n } },
    });
    await expect(request('p-2', 4000n)).rejects.toThrow('it stands still');
    expect(log.events.some(({ stream }) => stream === streamOf('p-2'))).toBe(false);
  });

  it('keeps no phone number but its own if its reference is repeated, and that only while needed', async () => {
    const { request, decide } = begin();
    const own = `${streamOf('p-1')} hmac of ${phone}`;
    await request('p-1', 4000n);
    await request('p-1', 4000n, { to: '254712345679' });
    await request('p-1', 3000n);
    expect([...phones.kept.keys()]).toEqual([own]);
    await decide('p-1', reject);
    await request('p-1', 4000n);
    expect(phones.kept.size).toBe(0);
  });

  it('needs two reads of the log from request to approval: one of the wallet and one of the holders', async () => {
    const { request, decide } = begin();
    await request('p-1', 100n);
    log.reads = 0;
    await request('p-2', 100n);
    await decide('p-2', approve);
    expect(log.reads).toBe(2);
  });

  it('is accepted for only one of 100 requests that race for the last shilling', async () => {
    const last = { credits: () => 100n, feeBasisPoints: 0 };
    const processes = [begin(last), begin(last)];
    const answers = await Promise.all(
      processes.flatMap(({ request }, each) =>
        Array.from({ length: 50 }, (_, number) => request(`p-${each}-${number}`, 100n)),
      ),
    );
    const statuses = answers.map((answer) => (answer.ok ? answer.value.view.status : 'refused'));
    expect(statuses.filter((status) => status === 'pending_approval')).toHaveLength(1);
    expect(total()).toBe(100n);
  });

  it('has money, number and daily limit released by the worker if the rejecting process dies', async () => {
    const bounded = { terms: { maxPerDayMinor: 1_000_000n } };
    const { request, complete } = begin(bounded);
    await request('p-1', 4000n);
    const dying = begin(bounded, (what) =>
      what === 'append answered' ? Promise.reject(new Error('died')) : Promise.resolve(),
    );
    await expect(dying.decide('p-1', reject)).rejects.toThrow('died');
    expect([total(), phones.kept.size]).toEqual([4060n, 1]);
    // An approval that was counted and lost the race.
    await allowances.claim({
      kind: 'approved',
      merchantId: 'm-1',
      mode: 'demo',
      timezone: 'UTC',
      stream: streamOf('p-1'),
      amountMinor: 4000n,
    });
    await complete('p-1');
    expect([total(), phones.kept.size, allowances.claims.size]).toEqual([0n, 0, 0]);
  });
});

describe('a portal user who also has a credential', () => {
  const asha = 'https://id.example#asha';
  /** One holder requests and another approves, a single payout and a batch. */
  const bothWays = async (
    [asker, approver]: readonly [string, string],
    /** The people who act in the portal, by the holder's name that it gives them. */
    people: Readonly<Record<string, string>> = {},
  ) => {
    const { request, decide, requestBatch, decideBatch } = begin();
    const metadataOf = (holder: string) => {
      const person = people[holder];
      return person === undefined ? by(holder) : byPerson(person);
    };
    const asked = metadataOf(asker);
    await request('p-1', 100n, { holder: asker, metadata: asked });
    await requestBatch('b-1', [{ reference: 'p-2', amountMinor: 100n }], asker, asked);
    const decision = { verdict: 'approve', holder: approver } as const;
    const decided = metadataOf(approver);
    return [await decide('p-1', decision, decided), await decideBatch('b-1', decision, decided)];
  };

  it.each([
    ['asks there and approves by API', [asha, 'till']],
    ['asks by API and approves there', ['till', asha]],
  ] as const)(
    'does not count as a second holder while the credential is bound to no one: %s',
    async (_, who) => {
      await bind({ holder: 'payroll', system: 'payroll' });
      const all = [refused('unbound_holder'), refused('unbound_holder')];
      expect(await bothWays(who)).toEqual(all);
      expect(types()).not.toContain('PayoutApproved');
    },
  );

  it.each([
    ['asks there and approves by API', ['maker', 'till']],
    ['asks by API and approves there', ['till', 'maker']],
  ] as const)(
    'does not count as a second holder through an unbound credential, even if another is bound: %s',
    async (_, who) => {
      await bind({ holder: 'maker', person: asha });
      const all = [refused('unbound_holder'), refused('unbound_holder')];
      expect(await bothWays(who, { maker: asha })).toEqual(all);
      expect(types()).not.toContain('PayoutApproved');
    },
  );

  it('is not their own second holder if they asked in the portal before a credential was bound to them', async () => {
    await bind({ holder: 'till', person: asha });
    const all = [refused('same_holder'), refused('same_holder')];
    expect(await bothWays([asha, 'till'], { [asha]: asha, till: asha })).toEqual(all);
  });

  it('is another person’s second holder under a holder’s name', async () => {
    const joseph = 'https://id.example#joseph';
    await bind({ holder: 'maker', person: asha }, { holder: 'checker', person: joseph });
    const all = [stands('pending'), stands('pending')];
    expect(await bothWays(['maker', 'checker'], { maker: asha, checker: joseph })).toMatchObject(
      all,
    );
  });

  it('is not their own second holder through the holder bound to them', async () => {
    await bind({ holder: 'till', person: asha });
    const all = [refused('same_holder'), refused('same_holder')];
    expect(await bothWays([asha, 'till'])).toEqual(all);
    expect(types()).not.toContain('PayoutApproved');
  });

  it('is not another person’s second holder if a different issuer named one of them', async () => {
    const elsewhere = 'https://new.example#asha';
    const all = [refused('unbound_holder'), refused('unbound_holder')];
    expect(await bothWays([asha, elsewhere], { [elsewhere]: elsewhere })).toEqual(all);
    expect(types()).not.toContain('PayoutApproved');
  });

  const ofTheFormer = { holder: 'till', person: 'https://former.example#joseph' };
  it('is not another person’s second holder if the credential is bound to a person of a different issuer', async () => {
    await bind(ofTheFormer);
    const all = [refused('unbound_holder'), refused('unbound_holder')];
    expect(await bothWays([asha, 'till'])).toEqual(all);
  });

  it('is another person’s second holder once that credential is bound to a person of their own issuer', async () => {
    await bind(ofTheFormer, { holder: 'till', person: 'https://id.example#joseph' });
    const all = [stands('pending'), stands('pending')];
    expect(await bothWays([asha, 'till'])).toMatchObject(all);
  });

  it('may reject a payout, even one that they requested', async () => {
    const { request, decide } = begin();
    await request('p-1', 100n, { holder: asha });
    const rejected = await decide('p-1', { verdict: 'reject', holder: 'till' });
    expect(rejected).toMatchObject(stands('rejected'));
  });

  it.each([
    ['another person’s', { holder: 'till', person: 'https://id.example#joseph' }],
    ['a system’s', { holder: 'till', system: 'point of sale' }],
  ])('may be seconded by %s credential', async (_, binding) => {
    await bind(binding);
    const all = [stands('pending'), stands('pending')];
    expect(await bothWays([asha, 'till'])).toMatchObject(all);
  });
});

describe('in live mode', () => {
  it('a holder that counts as no one requests neither a payout nor a batch, and nothing is recorded', async () => {
    const [asha, joseph] = ['https://id.example#asha', 'https://id.example#joseph'];
    // One person bound the till before anything was live, so that binding does not count.
    await bind(
      { holder: 'till', person: asha },
      { holder: 'office', system: 'office', proposedBy: asha, confirmedBy: joseph },
    );
    const { request, requestBatch } = begin({ mode: 'live' });
    const items = [{ reference: 'p-2', amountMinor: 100n }];
    const { length } = log.events;
    for (const holder of ['shop', 'till']) {
      expect(await request('p-1', 100n, { holder })).toEqual(refused('unbound_holder'));
      const batch = await requestBatch('b-1', items, holder);
      expect(batch).toEqual({ ok: false, refusal: { code: 'unbound_holder' } });
    }
    expect([log.events.length, phones.kept.size]).toEqual([length, 0]);
    expect(await request('p-1', 100n, { holder: 'office' })).toMatchObject(
      stands('pending_approval'),
    );
    expect(await requestBatch('b-1', items, 'office')).toMatchObject(stands('pending_approval'));
  });
});

describe('a second holder', () => {
  it.each(['asha', ' ASHA', 'A sha', 'ａｓｈａ', 'Automatic'])(
    'is neither the requester nor the automatic limits, spelled %j',
    async (holder) => {
      const { request, decide } = begin();
      await request('p-1', 4000n);
      expect(await decide('p-1', { verdict: 'approve', holder })).toEqual(refused('same_holder'));
      expect(await decide('p-1', { verdict: 'reject', holder })).toEqual(refused('same_holder'));
      expect(types()).not.toContain('PayoutApproved');
    },
  );

  it('releases the money by rejecting the payout, which is then never sent', async () => {
    const { request, decide, send } = begin();
    await request('p-1', 4000n);
    expect(await decide('p-1', reject)).toMatchObject(stands('rejected'));
    expect(total()).toBe(0n);
    expect(await decide('p-1', reject)).toMatchObject(stands('rejected'));
    expect(await decide('p-1', approve)).toEqual(refused('not_pending_approval'));
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toHaveLength(0);
    expect(phones.kept.size).toBe(0);
  });

  it('may repeat the decision; a different decision comes too late', async () => {
    const { request, decide } = begin();
    await request('p-1', 4000n);
    await decide('p-1', approve);
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await decide('p-1', reject)).toEqual(refused('not_pending_approval'));
    const third = { verdict: 'approve', holder: 'wanjiru' } as const;
    expect(await decide('p-1', third)).toEqual(refused('not_pending_approval'));
    expect(types().filter((type) => type === 'PayoutApproved')).toHaveLength(1);
  });

  it('decides from the log, even if the process remembers an older state', async () => {
    const [one, other] = [begin(), begin()];
    await one.request('p-1', 4000n);
    await other.decide('p-1', reject);
    expect(await one.decide('p-1', approve)).toEqual(refused('not_pending_approval'));
    await one.request('p-2', 4000n);
    await other.decide('p-2', approve);
    const third = { verdict: 'approve', holder: 'wanjiru' } as const;
    expect(await one.decide('p-2', third)).toEqual(refused('not_pending_approval'));
    expect(await one.decide('p-2', approve)).toMatchObject(stands('pending'));
    expect(types().filter((type) => type === 'PayoutApproved')).toHaveLength(1);
  });

  it.each([
    ['amount_differs', { amountMinor: 3999n }],
    ['phone_differs', { phoneHmac: 'another' }],
  ])('is rejected if a repeated field is wrong: %s', async (refusal, repeated) => {
    const { request, decide } = begin();
    await request('p-1', 4000n);
    expect(await decide('p-1', { ...approve, ...repeated })).toEqual(refused(refusal));
    expect(types()).not.toContain('PayoutApproved');
  });

  it('cannot decide on a payout that was never requested', async () => {
    expect(await begin().decide('p-1', approve)).toEqual(refused('unknown_payout'));
  });
});

describe('an operator’s limits', () => {
  it('bound one payout and the sum of the day’s approvals, regardless of when the payouts were requested', async () => {
    const { request, decide, cancel } = begin({
      terms: { maxMinor: 3000n, maxPerDayMinor: 4000n },
    });
    expect(await request('p-1', 3001n)).toEqual(refused('limit_exceeded'));
    // Requests on different days.
    for (const reference of ['p-1', 'p-2', 'p-3']) {
      allowances.day += 1;
      expect(await request(reference, 2000n)).toMatchObject(stands('pending_approval'));
    }
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await decide('p-2', approve)).toMatchObject(stands('pending'));
    expect(await decide('p-3', approve)).toEqual(refused('limit_exceeded'));
    expect(log.events.at(-1)?.stream).toBe(streamOf('p-2'));
    // A repeat of the same approval counts nothing.
    expect(await decide('p-1', approve)).toMatchObject({ value: { isRepeated: true } });
    // A cancelled payout was certainly not sent.
    await cancel('p-2');
    expect(await decide('p-3', approve)).toMatchObject(stands('pending'));
  });

  it('count earlier approvals of the day if they are set at noon', async () => {
    const morning = begin();
    for (const reference of ['p-1', 'p-2']) await morning.request(reference, 2000n);
    await morning.decide('p-1', approve);
    const noon = begin({ terms: { maxPerDayMinor: 3000n } });
    expect(await noon.decide('p-2', approve)).toEqual(refused('limit_exceeded'));
  });

  it('count an approval with an unknown append outcome on its day and again on the day of the retry', async () => {
    const bounded = { terms: { maxPerDayMinor: 3000n } };
    const { request, decide } = begin(bounded);
    await request('p-1', 2000n);
    await request('p-2', 2000n);
    await request('p-3', 2000n);
    const unknown = begin(bounded, (what) =>
      what === 'append sent'
        ? Promise.reject(new DependencyUnavailable('event store', 'no answer'))
        : Promise.resolve(),
    );
    await expect(unknown.decide('p-1', approve)).rejects.toThrow(DependencyUnavailable);
    expect(await decide('p-2', approve)).toEqual(refused('limit_exceeded'));
    allowances.day += 1;
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await decide('p-2', approve)).toEqual(refused('limit_exceeded'));
  });

  it('also reject an approval if they were narrowed since the request', async () => {
    await begin().request('p-1', 2000n);
    const lower = begin({ terms: { maxMinor: 1999n } });
    expect(await lower.decide('p-1', approve)).toEqual(refused('limit_exceeded'));
    const named = begin({ terms: { destinations: new Set<string>() } });
    expect(await named.decide('p-1', approve)).toEqual(refused('destination_not_allowed'));
    expect(await begin().decide('p-1', approve)).toMatchObject(stands('pending'));
  });

  it('name the only numbers that may be paid', async () => {
    const terms = { destinations: new Set([`hmac of ${phone}`]) };
    const { request } = begin({ terms });
    expect(await request('p-1', 1n, { to: '254712345679' })).toEqual(
      refused('destination_not_allowed'),
    );
    expect(await request('p-1', 1n)).toMatchObject({ ok: true });
  });

  it('approve small payouts automatically to a number paid before, while the day has room', async () => {
    const terms = { automaticMaxMinor: 500n, automaticPerDayMinor: 800n };
    const paidBefore = new Set([`hmac of ${phone}`]);
    const { request } = begin({ terms, paidBefore });
    expect(await request('p-1', 501n)).toMatchObject(stands('pending_approval'));
    expect(await request('p-2', 500n)).toMatchObject(stands('pending'));
    expect(await request('p-3', 301n)).toMatchObject(stands('pending_approval'));
    expect(await request('p-4', 300n)).toMatchObject(stands('pending'));
    expect(await request('p-5', 1n, { to: '254712345679' })).toMatchObject(
      stands('pending_approval'),
    );
    expect(log.events.findLast(({ type }) => type === 'PayoutApproved')?.data).toMatchObject({
      holder: 'automatic',
    });
  });

  it('do not approve automatically for a person whose role was revoked meanwhile (PEO-61)', async () => {
    const joseph = 'https://id.example#joseph';
    const finance = {
      person: joseph,
      name: 'J',
      role: 'finance',
      merchantId: 'm-1',
      proposedBy: 'a',
    };
    const admin = {
      person: 'https://id.example#asha',
      name: 'A',
      role: 'admin',
      proposedBy: '#root',
    };
    await happened(log, 'platform-roles', [
      ['RoleGranted', admin],
      ['RoleGranted', finance],
    ]);
    let isRevoked = false;
    const terms = { automaticMaxMinor: 500n, automaticPerDayMinor: 800n };
    const world = { terms, paidBefore: new Set([`hmac of ${phone}`]) };
    const { request } = begin(world, async (call, stream) => {
      if (isRevoked || call !== 'append sent' || stream !== reservations) return;
      isRevoked = true;
      await happened(log, 'platform-roles', [['RoleRevoked', finance]]);
    });
    const asked = { holder: joseph, metadata: byPerson(joseph) };
    expect(await request('p-1', 500n, asked)).toMatchObject(stands('pending_approval'));
    expect(isRevoked).toBe(true);
    expect(await request('p-2', 500n, asked)).toEqual(refused('role_lost'));
  });
});

describe('sending', () => {
  async function approved(world: Partial<World> = {}) {
    const process = begin(world);
    await process.request('p-1', 4000n);
    await process.decide('p-1', approve);
    return process;
  }

  it('sends no payout that is not approved', async () => {
    const { request, send } = begin();
    await request('p-1', 4000n);
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toHaveLength(0);
  });

  it('is done by one of two workers', async () => {
    const [one, other] = [await approved(), begin()];
    await Promise.all([one.send('p-1'), other.send('p-1'), one.send('p-1')]);
    expect(rail.orders).toHaveLength(1);
  });

  it('fails and releases the money if the rail refuses at once', async () => {
    const { send } = await approved();
    rail.outcome = { kind: 'refused', failureCode: 'rail_refused' };
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
    expect(log.events.findLast(({ type }) => type === 'RailDeclined')?.data).toMatchObject({
      by: 'answer',
    });
    expect(total()).toBe(0n);
  });

  it('is never repeated after an unknown outcome, and releases nothing', async () => {
    const { send, complete } = await approved();
    rail.outcome = { kind: 'unknown' };
    await send('p-1');
    await complete('p-1');
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toHaveLength(1);
    expect(total()).toBe(4060n);
  });

  describe('by a worker that was suspended after it began', () => {
    /** @param meanwhile the actions of others while the process is suspended and its append is answered */
    async function resumed(afterMs: number, meanwhile = (): Promise<unknown> => Promise.resolve()) {
      await approved();
      const { clock, at } = suspendedOnce(afterMs, meanwhile);
      return begin({ clock }, at).send('p-1');
    }

    it('gives the rail no order after a long suspension: the payout fails and its money is released', async () => {
      expect(await resumed(48 * 3_600_000)).toMatchObject({ value: 'too_late' });
      expect(rail.orders).toEqual([]);
      expect(log.events.findLast(({ type }) => type === 'RailDeclined')?.data).toEqual({
        by: 'answer',
        failureCode: 'rail_unavailable',
      });
      expect([total(), phones.kept.size]).toEqual([0n, 0]);
      expect(await begin().send('p-1')).toMatchObject({ value: 'unchanged' });
    });

    it('sends the payout if the suspension was short', async () => {
      expect(await resumed(30_000)).toMatchObject({ value: 'sent' });
      expect(rail.orders).toHaveLength(1);
    });

    it('does not change what operators decided meanwhile', async () => {
      const { flag, rule, agree } = begin();
      const decided = async () => {
        await flag('p-1', 'no_word_from_rail');
        await rule('p-1', 'olga', { decision: 'failed' });
        expect(await agree('p-1', 'otto')).toMatchObject({ ok: true });
      };
      await resumed(72 * 3_600_000, decided);
      expect(rail.orders).toEqual([]);
      const declines = log.events.filter(({ type }) => type === 'RailDeclined');
      expect(declines).toMatchObject([{ data: { by: 'operator' } }]);
    });

    it('releases nothing if an operator meanwhile reports the payout as paid', async () => {
      const { open } = begin();
      const payment = { receipt: 'NLK8RU72TW', amountMinor: 4000n };
      const opened = async () => {
        expect(await open('p-1', 'olga', payment)).toMatchObject({ ok: true });
      };
      await resumed(72 * 3_600_000, opened);
      expect([rail.orders, total()]).toEqual([[], 4060n]);
    });
  });

  it('waits for the rail’s float, reports that once, and continues when the float is there', async () => {
    const { send, flag } = await approved();
    rail.floatMinor = 3999n;
    expect(await send('p-1')).toMatchObject({ value: 'held' });
    expect(await send('p-1')).toMatchObject({ value: 'held' });
    expect(types().filter((type) => type === 'PayoutWaitingForFloat')).toHaveLength(1);
    expect(await flag('p-1', 'float_missing')).toMatchObject({ value: 'flagged' });
    expect(await flag('p-1', 'float_missing')).toMatchObject({ value: 'unchanged' });
    // Redis was flushed, or the rail does not report its float: a float that was too small does not count as enough.
    rail.floatMinor = undefined;
    expect(await send('p-1')).toMatchObject({ value: 'held' });
    expect(rail.orders).toHaveLength(0);
    rail.floatMinor = 4000n;
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
  });

  it('holds a payout for a person if its phone number is gone', async () => {
    const { send } = await approved();
    await phones.forget(streamOf('p-1'));
    expect(await send('p-1')).toMatchObject({ value: 'held' });
    expect(log.events.at(-1)?.data).toEqual({ why: 'phone_missing' });
    expect(rail.orders).toHaveLength(0);
  });
});

describe('the rail’s report', () => {
  async function sent() {
    const process = begin();
    await process.request('p-1', 4000n);
    await process.decide('p-1', approve);
    await process.send('p-1');
    return process;
  }

  it('settles nothing if its sender is untrusted or it is about another order', async () => {
    const { report } = await sent();
    const before = log.events.length;
    for (const other of [{ isTrusted: false }, { originatorConversationId: 'pp-other' }])
      for (const verdict of [paid, declined])
        expect(await report('p-1', { verdict, ...other })).toEqual(refused('not_corroborated'));
    expect(log.events).toHaveLength(before);
  });

  it('is matched by the conversation id of the rail’s answer, even under another originator id', async () => {
    const { report } = await sent();
    const named = { originatorConversationId: 'made-by-the-gateway', verdict: paid };
    for (const other of [{}, { conversationId: 'AG_another' }])
      expect(await report('p-1', { ...named, ...other })).toEqual(refused('not_corroborated'));
    const { conversationId } = log.events.find(({ type }) => type === 'RailPayoutAccepted')
      ?.data as { conversationId: string };
    expect(await report('p-1', { ...named, conversationId, isTrusted: false })).toEqual(
      refused('not_corroborated'),
    );
    expect(await report('p-1', { ...named, conversationId })).toMatchObject({
      value: { status: 'completed' },
    });
  });

  it('posts nothing if its amount is unreadable, and flags a receipt other than the posted one', async () => {
    const { report } = await sent();
    const unreadable = { kind: 'unresolved', isSuccess: true, receipt: 'OTHER' } as const;
    await report('p-1', { verdict: unreadable });
    await report('p-1', { verdict: unreadable });
    expect(log.events.slice(-2)).toMatchObject([
      { type: 'RailPayoutAccepted' },
      { type: 'ReviewFlagged', data: { why: 'payout_amount_unreadable' } },
    ]);
    await report('p-1', { verdict: paid });
    expect(types().at(-1)).toBe('WalletPosted');
    await report('p-1', { verdict: { ...unreadable, receipt: 'NLK8RU72TW' } });
    await report('p-1', { verdict: unreadable, isTrusted: false });
    expect(types().at(-1)).toBe('WalletPosted');
    await report('p-1', { verdict: unreadable });
    await report('p-1', { verdict: unreadable });
    expect(log.events.slice(-2)).toMatchObject([
      { type: 'WalletPosted' },
      { type: 'ReviewFlagged', data: { why: 'second_receipt' } },
    ]);
  });

  it('keeps a later decline from releasing the money if it reports success in an unknown amount', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: { kind: 'unresolved', isSuccess: true } });
    await report('p-1', { verdict: declined });
    await report('p-1', { by: 'query', repeated: true, verdict: declined });
    expect([types().at(-1), total()]).toEqual(['ReviewFlagged', 4060n]);
  });

  it('is flagged for review if it reports success in an unknown amount after a decline', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: declined });
    await report('p-1', { verdict: { kind: 'unresolved' } });
    expect(types()).not.toContain('ReviewFlagged');
    await report('p-1', { verdict: { kind: 'unresolved', isSuccess: true } });
    expect([types().at(-1), total()]).toEqual(['ReviewFlagged', 0n]);
  });

  it('settles nothing if the payout was never sent', async () => {
    const { request, decide, report } = begin();
    expect(await report('p-1', { verdict: paid })).toEqual(refused('unknown_payout'));
    await request('p-1', 4000n);
    expect(await report('p-1', { verdict: paid, isTrusted: false })).toEqual(
      refused('not_corroborated'),
    );
    expect(types()).not.toContain('ReviewFlagged');
    await decide('p-1', approve);
    expect(await report('p-1', { verdict: declined })).toEqual(refused('not_corroborated'));
  });

  it.each([paid, { kind: 'unresolved', isSuccess: true }] as const)(
    'lists an unsent payout for review and moves no money if the rail’s own report says paid (%#)',
    async (verdict) => {
      const { request, decide, report } = begin();
      await request('p-1', 4000n);
      await decide('p-1', reject);
      for (let times = 0; times < 2; times += 1)
        expect(await report('p-1', { verdict, originatorConversationId: 'AG-own' })).toEqual(
          refused('not_sent'),
        );
      const flags = log.events.filter(({ type }) => type === 'ReviewFlagged');
      expect(flags).toMatchObject([{ stream: streamOf('p-1'), data: { why: 'paid_unsent' } }]);
      expect(total()).toBe(0n);
    },
  );

  it('is a late success if it says paid after the answer to the order was a refusal', async () => {
    rail.outcome = { kind: 'refused', failureCode: 'rail_refused' };
    const { report } = await sent();
    expect(types()).toContain('RailDeclined');
    const told = { by: 'query', verdict: paid, conversationId: 'AG-own' } as const;
    expect(await report('p-1', told)).toMatchObject({ value: { status: 'completed' } });
    expect([types().slice(-2), total()]).toEqual([['WalletPosted', 'ReviewFlagged'], 4060n]);
  });

  it('releases nothing if its code is unknown', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: { kind: 'unresolved', unknownCode: '77' } });
    expect(total()).toBe(4060n);
  });

  it('releases the money if it is a decline; a query’s decline only does so when repeated', async () => {
    const { report } = await sent();
    expect(await report('p-1', { by: 'query', verdict: declined })).toMatchObject({
      value: { status: 'pending' },
    });
    const repeated = { by: 'query', repeated: true, verdict: declined } as const;
    expect(await report('p-1', repeated)).toMatchObject({ value: { status: 'failed' } });
    expect(total()).toBe(0n);
    expect(types().filter((type) => type === 'ReservationReleased')).toHaveLength(1);
  });

  it('posts a success after a decline regardless of available funds, and is flagged for review', async () => {
    const { report, request } = await sent();
    await report('p-1', { verdict: declined });
    // The released money is reserved again.
    await request('p-2', 9000n);
    expect(await report('p-1', { verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
    expect(log.events.slice(-4).map(({ type }) => type)).toEqual([
      ...['RailConfirmed', 'FundsReserved', 'WalletPosted', 'ReviewFlagged'],
    ]);
    expect(total()).toBe(9135n + 4060n);
    await report('p-1', { verdict: paid });
    await report('p-1', { verdict: declined });
    expect(types().filter((type) => type === 'WalletPosted')).toHaveLength(1);
  });

  it('posts nothing and is flagged for review if it has another amount or a second receipt', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    expect(log.events.at(-1)?.data).toEqual({ why: 'payout_amount_differs' });
    expect(total()).toBe(4060n);
    await report('p-1', { verdict: { ...paid, amountMinor: 4000n } });
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER' } });
    expect(log.events.at(-1)?.data).toEqual({ why: 'second_receipt' });
    expect(types().filter((type) => type === 'WalletPosted')).toHaveLength(1);
  });

  it('keeps the payout under review and reserved if its amount differs, despite a later decline', async () => {
    const { report, flag } = await sent();
    const declined = { kind: 'declined', failureCode: 'rail_declined' } as const;
    await flag('p-1', 'no_word_from_rail');
    await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    const known = log.events.length;
    await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    expect(log.events).toHaveLength(known);
    await report('p-1', { verdict: declined });
    const flags = log.events.filter(({ type }) => type === 'ReviewFlagged');
    expect(flags.map(({ data }) => data)).toEqual([
      { why: 'no_word_from_rail' },
      { why: 'payout_amount_differs' },
    ]);
    expect(types()).not.toContain('RailDeclined');
    expect(total()).toBe(4060n);
  });

  const flags = () =>
    log.events.flatMap(({ type, data }) =>
      type === 'ReviewFlagged' ? [(data as { why: string }).why] : [],
    );
  /** A process dies here: the rail has reported a payment of a declined payout, and nothing is posted. */
  async function paidLate(verdict: Verdict = paid) {
    const process = await sent();
    await process.report('p-1', { verdict: declined });
    const dying = begin({}, (what) =>
      what === 'append answered' ? Promise.reject(new Error('died')) : Promise.resolve(),
    );
    await expect(dying.report('p-1', { verdict })).rejects.toThrow('died');
    expect(types().at(-1)).toBe('RailConfirmed');
    return process;
  }

  it('is flagged if it has a second receipt before a late success is posted; the question stays open', async () => {
    const { report, complete } = await paidLate();
    const second = { ...paid, receipt: 'OTHER00001' };
    await report('p-1', { verdict: second });
    await report('p-1', { verdict: second });
    await complete('p-1');
    await report('p-1', { verdict: second });
    expect(flags()).toEqual(['second_receipt', 'paid_after_decline', 'second_receipt']);
    expect(types().filter((type) => type === 'WalletPosted')).toHaveLength(1);
  });

  it('is flagged if it has another amount before a late success is posted; the question stays open', async () => {
    const { report } = await paidLate();
    await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    expect(flags().at(-1)).toBe('payout_amount_differs');
    expect(types()).toContain('WalletPosted');
  });

  it('is flagged once if it has another receipt or amount while another review is open', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: declined });
    await report('p-1', { verdict: paid });
    for (let told = 0; told < 2; told += 1) {
      await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001' } });
      await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    }
    expect(flags()).toEqual(['paid_after_decline', 'second_receipt', 'payout_amount_differs']);
  });

  it('keeps the review open if it has the right amount after one with a different amount', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001', amountMinor: 3999n } });
    expect(await report('p-1', { verdict: { ...paid, amountMinor: 4000n } })).toMatchObject({
      value: { status: 'completed' },
    });
    expect(flags()).toEqual(['payout_amount_differs', 'payout_amount_differs']);
    expect(types().at(-1)).toBe('ReviewFlagged');
  });

  it('adds the receipt that the previous report lacked; a third report with another receipt is flagged', async () => {
    const { report } = await sent();
    const bare = { kind: 'paid', resultCode: '0', amountMinor: 4000n } as const;
    await report('p-1', { by: 'query', verdict: bare });
    await report('p-1', { verdict: { ...paid, amountMinor: 4000n } });
    expect(log.events.at(-1)).toMatchObject({
      type: 'RailReceiptRecorded',
      data: { receipt: 'NLK8RU72TW', amountMinor: 4000n },
    });
    await report('p-1', { verdict: paid });
    expect(flags()).toEqual([]);
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001' } });
    expect(flags()).toEqual(['second_receipt']);
  });

  it('adds the receipt of a late success before that is posted', async () => {
    const { report } = await paidLate({ kind: 'paid', resultCode: '0' });
    await report('p-1', { verdict: paid });
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001' } });
    expect(types().filter((type) => type === 'RailReceiptRecorded')).toHaveLength(1);
    expect(flags()).toEqual(['paid_after_decline', 'second_receipt']);
  });

  it('is flagged for review if it denies a posted payment; a query’s or an earlier, repeated decline is not', async () => {
    const { report } = await sent();
    await report('p-1', { verdict: paid });
    await report('p-1', { by: 'query', repeated: true, verdict: declined });
    expect(flags()).toEqual([]);
    await report('p-1', { verdict: declined });
    await report('p-1', { verdict: declined });
    expect(flags()).toEqual(['declined_after_payment']);
    expect(total()).toBe(4060n);

    const late = await paidLateOf('p-2');
    await late('p-2', { verdict: declined });
    expect(flags()).toEqual(['declined_after_payment', 'paid_after_decline']);
  });

  it('is flagged if it first denies what queries declined and then reported as paid', async () => {
    const { report } = await sent();
    for (const repeated of [false, true])
      await report('p-1', { by: 'query', repeated, verdict: declined });
    await report('p-1', { by: 'query', verdict: { kind: 'paid', resultCode: '0' } });
    expect(flags()).toEqual(['paid_after_decline']);
    await report('p-1', { verdict: declined });
    expect(flags()).toEqual(['paid_after_decline', 'declined_after_payment']);
  });

  async function paidLateOf(reference: string) {
    const { request, decide, send, report } = begin();
    await request(reference, 4000n);
    await decide(reference, approve);
    await send(reference);
    for (const verdict of [declined, paid]) await report(reference, { verdict });
    return report;
  }

  it('gives the rail’s name for the payment if the answer to the order was lost', async () => {
    const process = begin();
    await process.request('p-1', 4000n);
    await process.decide('p-1', approve);
    rail.outcome = { kind: 'unknown' };
    await process.send('p-1');
    const report = { conversationId: 'AG_7', verdict: paid };
    expect(await process.report('p-1', report)).toMatchObject({ value: { railReference: 'AG_7' } });
  });
});
