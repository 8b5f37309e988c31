import { merchantDecider, type MerchantEvent, merchantStream } from '#domain/merchants';
import { Pipeline } from '#domain/event-sourcing';
import { Clock, type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { type AtCall, MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  Allowances,
  byPerson,
  NotingRail,
  phone,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../../test/scene.js';
import { Proposals } from '../../test/operators.js';

const approve = { verdict: 'approve', holder: 'joseph' } as const;
const refused = (refusal: string) => ({ ok: false, refusal });
const stands = (status: string) => ({ ok: true, value: { view: { status } } });
const reservations = 'reservations-demo:m-1:1001:KES';

let log: MemoryLog;
let rail: NotingRail;
let phones: Phones;
let allowances: Allowances;
let made: number;
beforeEach(() => {
  [log, rail, phones, allowances] = [
    new MemoryLog(),
    new NotingRail(),
    new Phones(),
    new Allowances(),
  ];
  made = 0;
});

function begin(more: Partial<World> = {}, at?: AtCall) {
  const credits = () => 10_000n;
  const nextId = () => `id-${(made += 1)}`;
  const world = { log, rail, phones, allowances, credits, nextId, feeBasisPoints: 150, ...more };
  return startProcess(world, at);
}
const typesOf = (reference: string): string[] =>
  log.events.filter(({ stream }) => stream === streamOf(reference)).map(({ type }) => type);
const total = (): bigint =>
  (log.events.findLast(({ stream }) => stream === reservations)?.data as { totalMinor: bigint })
    .totalMinor;
const approvedAt = (reference: string): number =>
  msFromInstant(
    log.events.findLast(
      ({ stream, type }) => stream === streamOf(reference) && type === 'PayoutApproved',
    )?.recordedAt ?? ('' as Instant),
  );
const hourMs = 3_600_000;
/** The time this many hours after the payout's approval. */
const later = (reference: string, hours: number): Instant =>
  instantFromMs(approvedAt(reference) + hours * hourMs + 1);

/** Appends an operator's events to the merchant's stream. */
async function operatorSets(...events: readonly MerchantEvent[]): Promise<void> {
  const pipeline = new Pipeline(log, { next: () => `id-${(made += 1)}` });
  const metadata = { correlationId: 'o', actor: { kind: 'operator', id: 'amina' } } as const;
  const step = { decider: merchantDecider, stream: merchantStream('m-1'), metadata };
  const { revision } = await pipeline.load(step);
  const registered: MerchantEvent = {
    type: 'MerchantRegistered',
    data: { merchantId: 'm-1', name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
  };
  const first = revision === 'no_stream' ? [registered] : [];
  await pipeline.run(step, () => ({ ok: true, value: [...first, ...events] }));
}
const credential = (holder: string): MerchantEvent => ({
  type: 'CredentialIssued',
  data: {
    credentialId: `credential of ${holder}`,
    kind: 'v4',
    mode: 'demo',
    holder,
    clientId: holder,
    publicKeyPem: 'pem',
    ipRanges: [],
  },
});

describe('cancelling a payout', () => {
  it('stops a payout that is approved or waits for approval, and releases money, number and daily limit', async () => {
    const { request, decide, cancel, send } = begin({ terms: { maxPerDayMinor: 5000n } });
    await request('p-1', 3000n);
    await request('p-2', 1000n);
    await decide('p-2', approve);
    expect(await cancel('p-1')).toMatchObject(stands('rejected'));
    expect(await cancel('p-2', 'joseph')).toMatchObject(stands('rejected'));
    expect(typesOf('p-2')).toEqual([
      ...['PayoutRequested', 'PayoutReserved', 'PayoutApproved', 'PayoutRejected'],
    ]);
    expect(log.events.findLast(({ type }) => type === 'PayoutRejected')).toMatchObject({
      data: {
        reason: 'cancelled',
        holder: 'joseph',
        amountMinor: 1000n,
        phoneHmac: `hmac of ${phone}`,
      },
      metadata: { actor: { holder: 'joseph' }, commitment: expect.any(String) },
    });
    expect([total(), phones.kept.size, allowances.claims.size]).toEqual([0n, 0, 0]);
    expect(await send('p-2')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toEqual([]);
  });

  it('may be repeated by another holder, does not count as a rejection, and fails after a real rejection', async () => {
    const { request, decide, cancel } = begin();
    await request('p-1', 1000n);
    await cancel('p-1', 'joseph');
    expect(await cancel('p-1')).toMatchObject({ ok: true, value: { isRepeated: true } });
    expect(typesOf('p-1').filter((type) => type === 'PayoutRejected')).toHaveLength(1);
    expect(await decide('p-1', { verdict: 'reject', holder: 'joseph' })).toEqual(
      refused('not_pending_approval'),
    );
    await request('p-2', 1000n);
    await decide('p-2', { verdict: 'reject', holder: 'joseph' });
    expect(await cancel('p-2')).toEqual(refused('not_cancellable'));
    expect(await cancel('p-9')).toEqual(refused('unknown_payout'));
  });

  it('stops a payout that waits for the rail’s float', async () => {
    const { request, decide, cancel, send } = begin();
    await request('p-1', 4000n);
    await decide('p-1', approve);
    rail.floatMinor = 0n;
    await send('p-1');
    expect(typesOf('p-1').at(-1)).toBe('PayoutWaitingForFloat');
    expect(await cancel('p-1')).toMatchObject(stands('rejected'));
    expect(total()).toBe(0n);
  });

  it('is rejected once the payout has started, even after the rail declines it', async () => {
    const { request, decide, cancel, send, report } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    await send('p-1');
    expect(await cancel('p-1')).toEqual(refused('not_cancellable'));
    await report('p-1', { verdict: { kind: 'declined', failureCode: 'rail_declined' } });
    expect(await cancel('p-1')).toEqual(refused('not_cancellable'));
  });

  it('wins or loses as a whole against the start of the payout', async () => {
    // The canceller waits at its append until the sender has started.
    const { request, decide, send } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    const [reached, goOn] = [
      Promise.withResolvers<undefined>(),
      Promise.withResolvers<undefined>(),
    ];
    const held: AtCall = async (what) => {
      if (what !== 'append sent') return;
      reached.resolve(undefined);
      await goOn.promise;
    };
    const cancelling = begin({}, held).cancel('p-1');
    await reached.promise;
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
    goOn.resolve(undefined);
    expect(await cancelling).toEqual(refused('not_cancellable'));
    expect(typesOf('p-1')).not.toContain('PayoutRejected');
    expect(rail.orders).toHaveLength(1);
  });

  it('does not stop a payout that was ordered in a lost history of the log', async () => {
    const { request, decide, cancel } = begin({ orderedBefore: new Set([streamOf('p-1')]) });
    await request('p-1', 1000n);
    await decide('p-1', approve);
    expect(await cancel('p-1')).toEqual(refused('not_cancellable'));
    expect(total()).toBe(1015n);
    expect(typesOf('p-1').at(-1)).toBe('ReviewFlagged');
  });
});

describe('cancelling a batch', () => {
  const items = ['b-1', 'b-2', 'b-3'].map((reference) => ({ reference, amountMinor: 1000n }));

  it('rejects all payouts of a batch that waits for approval; none can be cancelled alone', async () => {
    const { requestBatch, cancelBatch, cancel, decideBatch } = begin();
    await requestBatch('batch', items);
    expect(await cancel('b-1')).toEqual(refused('not_cancellable'));
    expect(await cancelBatch('batch')).toMatchObject(stands('rejected'));
    expect(items.map(({ reference }) => typesOf(reference).at(-1))).toEqual(
      items.map(() => 'PayoutRejected'),
    );
    expect([total(), phones.kept.size]).toEqual([0n, 0]);
    expect(await decideBatch('batch', approve)).toEqual(refused('not_pending_approval'));
    expect(await cancelBatch('batch')).toMatchObject({ value: { isRepeated: true } });
  });

  it('works even if the merchant’s other batches occupy all places of the process', async () => {
    const { requestBatch, cancelBatch, occupyBatchPlaces } = begin();
    await requestBatch('batch', items);
    occupyBatchPlaces();
    await expect(requestBatch('other', items)).rejects.toThrow('too many batches');
    expect(await cancelBatch('batch')).toMatchObject(stands('rejected'));
  });

  it('works despite cancellations by another holder; a repeat works despite those of the same holder', async () => {
    const forEver = new Promise<void>(() => undefined);
    let isHeld = false;
    const process = begin({}, (what, stream) =>
      isHeld && what === 'append sent' && stream?.endsWith('batch~other')
        ? forEver
        : Promise.resolve(),
    );
    await process.requestBatch('batch', items);
    await process.requestBatch('other', [{ reference: 'o-1', amountMinor: 1000n }]);
    await process.requestBatch('third', [{ reference: 't-1', amountMinor: 1000n }]);
    await process.cancelBatch('third');
    isHeld = true;
    void process.cancelBatch('other', 'wanjiru');
    await expect(process.cancelBatch('batch', 'wanjiru')).rejects.toThrow('too many batches');
    expect(await process.cancelBatch('third', 'wanjiru')).toMatchObject({ ok: true });
    expect(await process.cancelBatch('batch', 'otieno')).toMatchObject(stands('rejected'));
  });

  it('works even if one operator is cancelling at other merchants', async () => {
    const forEver = new Promise<void>(() => undefined);
    let isHeld = false;
    const held = begin({}, (what, stream) =>
      isHeld && what === 'append sent' && stream?.endsWith('batch~other')
        ? forEver
        : Promise.resolve(),
    );
    await held.requestBatch('other', [{ reference: 'o-1', amountMinor: 1000n }]);
    await held.requestBatch('batch', items);
    isHeld = true;
    const otieno = byPerson('https://id.example#otieno');
    void held.cancelBatch('other', 'one name', otieno);
    await expect(held.cancelBatch('other', 'another name', otieno)).rejects.toThrow(
      'too many batches',
    );
    expect(await held.cancelBatch('batch', 'another name')).toMatchObject(stands('rejected'));
  });

  it('stops the payouts of an approved batch that have not started; the worker finishes if the caller dies', async () => {
    const { requestBatch, decideBatch, cancelBatch, completeBatch, send } = begin();
    await requestBatch('batch', items);
    await decideBatch('batch', approve);
    await send('b-2');
    let calls = 0;
    class Died extends Error {}
    const dying = begin({}, (what) => {
      if (what.startsWith('append')) calls += 1;
      return calls > 2 ? Promise.reject(new Died()) : Promise.resolve();
    });
    await dying.cancelBatch('batch').catch(() => undefined);
    await completeBatch('batch');
    expect(items.map(({ reference }) => typesOf(reference).at(-1))).toEqual([
      ...['PayoutRejected', 'RailPayoutAccepted', 'PayoutRejected'],
    ]);
    expect(total()).toBe(1015n);
    expect(await cancelBatch('batch')).toMatchObject({
      ok: true,
      value: { isRepeated: true, view: { status: 'pending' } },
    });
  });

  it('prevents every process from starting its payouts as soon as it is recorded', async () => {
    const { requestBatch, decideBatch, completeBatch } = begin();
    const other = begin();
    await requestBatch('batch', items);
    await decideBatch('batch', approve);
    // The other process has read the batch's stream before.
    expect(await other.send('b-2')).toMatchObject({ value: 'sent' });
    let calls = 0;
    const dying = begin({}, (what) => {
      if (what.startsWith('append')) calls += 1;
      return calls > 1 ? Promise.reject(new Error('died')) : Promise.resolve();
    });
    await dying.cancelBatch('batch').catch(() => undefined);
    expect(log.events.at(-1)).toMatchObject({ type: 'PayoutBatchRejected' });
    expect(await other.send('b-1')).toMatchObject({ value: 'unchanged' });
    expect(await begin().send('b-3')).toMatchObject({ value: 'unchanged' });
    expect(rail.orders).toHaveLength(1);
    await completeBatch('batch');
    expect(['b-1', 'b-3'].map((reference) => typesOf(reference).at(-1))).toEqual([
      ...['PayoutRejected', 'PayoutRejected'],
    ]);
  });

  it('stops a payout that was approved again, and queries the rail about one ordered in a lost history', async () => {
    const { requestBatch, decideBatch, decide, expire, send } = begin();
    await requestBatch('batch', items);
    await decideBatch('batch', approve);
    await expire('b-1', later('b-1', 72));
    await decide('b-1', approve);
    const dying = begin({}, (what) =>
      what === 'append answered' ? Promise.reject(new Error('died')) : Promise.resolve(),
    );
    await dying.cancelBatch('batch').catch(() => undefined);
    expect(log.events.at(-1)).toMatchObject({ type: 'PayoutBatchRejected' });
    expect(await send('b-1')).toMatchObject({ value: 'unchanged' });
    expect(await send('b-2', true)).toMatchObject({ value: 'asked_about' });
    expect(rail.orders).toEqual([]);
  });

  it('is rejected if all payouts of the batch have started', async () => {
    const { requestBatch, decideBatch, cancelBatch, send } = begin();
    await requestBatch('batch', items.slice(0, 1));
    await decideBatch('batch', approve);
    await send('b-1');
    expect(await cancelBatch('batch')).toEqual({
      ok: false,
      refusal: { code: 'not_cancellable', given: [] },
    });
  });
});

describe('a batch with payouts that the rail received in a lost history of the log', () => {
  const items = ['b-1', 'b-2', 'b-3'].map((reference) => ({ reference, amountMinor: 1000n }));
  const given = new Set([streamOf('b-1'), streamOf('b-3')]);
  const named = { ok: false, refusal: { code: 'not_cancellable', given: ['b-1', 'b-3'] } };
  const listed = () => log.events.filter(({ type }) => type === 'ReviewFlagged');
  const fail = async (process: ReturnType<typeof begin>, reference: string) => {
    expect(await process.rule(reference, 'amina', { decision: 'failed' })).toMatchObject({
      ok: true,
    });
    expect(await process.agree(reference, 'otieno')).toMatchObject({ ok: true });
  };

  it('is not cancelled; the refusal names those payouts, and each is listed for review once', async () => {
    const process = begin({ orderedBefore: given });
    await process.requestBatch('batch', items);
    for (let call = 1; call <= 2; call += 1)
      expect(await process.cancelBatch('batch')).toEqual(named);
    expect(listed().map(({ stream }) => stream)).toEqual([streamOf('b-1'), streamOf('b-3')]);
    await process.decideBatch('batch', approve);
    expect(await process.cancelBatch('batch')).toEqual(named);
  });

  it('is cancelled once two operators decide that those payouts failed, and all its money is free again', async () => {
    const process = begin({ orderedBefore: given, proposals: new Proposals() });
    await process.requestBatch('batch', items);
    await process.cancelBatch('batch');
    await fail(process, 'b-1');
    expect(await process.cancelBatch('batch')).toMatchObject({ refusal: { given: ['b-3'] } });
    await fail(process, 'b-3');
    expect(total()).toBe(3045n);
    expect(await process.cancelBatch('batch')).toMatchObject(stands('rejected'));
    expect([total(), phones.kept.size]).toEqual([0n, 0]);
    expect(await process.completeBatch('batch')).toEqual({ ok: true, value: 'settled' });
  });

  it('is kept if it cannot be carried out, and ends by itself once two operators have decided', async () => {
    let looks = 0;
    const credits = () => ((looks += 1) === 1 ? 10_000n : 0n);
    const world = { credits, orderedBefore: new Set([streamOf('b-1')]) };
    const process = begin({ ...world, proposals: new Proposals() });
    await process.requestBatch('batch', items);
    expect(await process.completeBatch('batch')).toEqual({ ok: true, value: 'kept' });
    await fail(process, 'b-1');
    expect(await process.completeBatch('batch')).toEqual({ ok: true, value: 'settled' });
    for (const { reference } of items)
      expect(log.events.findLast(({ stream }) => stream === streamOf(reference))).toMatchObject({
        type: 'PayoutRejected',
        data: { reason: 'insufficient_funds' },
      });
  });
});

describe('a waiting payout that the rail received in a lost history of the log', () => {
  it('ends once two operators have decided that it failed', async () => {
    const orderedBefore = new Set([streamOf('p-1')]);
    const { request, cancel, rule, agree } = begin({ orderedBefore, proposals: new Proposals() });
    await request('p-1', 1000n);
    expect(await rule('p-1', 'amina', { decision: 'failed' })).toEqual(refused('not_under_review'));
    await cancel('p-1');
    await rule('p-1', 'amina', { decision: 'failed' });
    expect(await agree('p-1', 'otieno')).toMatchObject(stands('rejected'));
    expect([total(), phones.kept.size, typesOf('p-1').at(-1)]).toEqual([0n, 0, 'PayoutRejected']);
  });
});

describe('an approval', () => {
  it('expires if the payout does not start in time, and a new approval is needed', async () => {
    const { request, decide, send, expire, cancel } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    expect(await expire('p-1', later('p-1', 71))).toMatchObject({ value: 'unchanged' });
    expect(await expire('p-1', later('p-1', 72))).toMatchObject({ value: 'expired' });
    expect(log.events.at(-1)).toMatchObject({
      type: 'PayoutApprovalExpired',
      data: { why: 'age' },
    });
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    // The sender checks as well, because it may be the first to notice.
    expect(await send('p-1', false, later('p-1', 72))).toMatchObject({ value: 'expired' });
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await send('p-1', false, later('p-1', 1))).toMatchObject({ value: 'sent' });
    expect(await cancel('p-1')).toEqual(refused('not_cancellable'));
    expect(rail.orders).toHaveLength(1);
  });

  it('is renewed for one payout alone if a batch approval expires for that payout', async () => {
    const { requestBatch, decideBatch, decide, expire, completeBatch, cancel } = begin();
    const items = ['b-1', 'b-2'].map((reference) => ({ reference, amountMinor: 1000n }));
    await requestBatch('batch', items);
    await decideBatch('batch', approve);
    for (const { reference } of items) await expire(reference, later(reference, 72));
    // The worker does not repeat the batch's approval.
    await completeBatch('batch');
    expect(typesOf('b-1').at(-1)).toBe('PayoutApprovalExpired');
    expect(await decide('b-1', { verdict: 'approve', holder: 'asha' })).toEqual(
      refused('same_holder'),
    );
    expect(await decide('b-1', approve)).toMatchObject(stands('pending'));
    expect(await decide('b-1', approve)).toMatchObject({ value: { isRepeated: true } });
    expect(await cancel('b-2')).toMatchObject(stands('rejected'));
  });

  it('ends the review of why the payout was not sent when it expires', async () => {
    const { request, decide, send, flag, expire, rule } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    rail.floatMinor = 0n;
    await send('p-1');
    await flag('p-1', 'float_missing');
    await expire('p-1', later('p-1', 72));
    expect(await rule('p-1', 'amina', { decision: 'failed' })).toEqual(refused('not_under_review'));
  });
});

describe('the checks at the time of sending', () => {
  const given = async () => {
    const process = begin();
    await operatorSets(credential('asha'), credential('joseph'));
    await process.request('p-1', 4000n);
    await process.decide('p-1', approve);
    return process;
  };
  const expired = { type: 'PayoutApprovalExpired', data: { why: 'checks' } };

  it.each<[string, MerchantEvent]>([
    ['a limit below it', { type: 'LimitsSet', data: { mode: 'demo', maxMinor: 3999n } }],
    [
      'destinations without it',
      { type: 'DestinationsSet', data: { mode: 'demo', destinations: [] } },
    ],
    [
      'the asking credential compromised',
      {
        type: 'CredentialRevoked',
        data: { credentialId: 'credential of asha', compromised: true },
      },
    ],
    [
      'the approving credential compromised',
      {
        type: 'CredentialRevoked',
        data: { credentialId: 'credential of joseph', compromised: true },
      },
    ],
  ])('return the payout to its approvers: %s', async (_what, event) => {
    const { send } = await given();
    await operatorSets(event);
    expect(await send('p-1')).toMatchObject({ value: 'expired' });
    expect(log.events.at(-1)).toMatchObject(expired);
    expect(rail.orders).toEqual([]);
  });

  it.each<[string, MerchantEvent]>([
    ['a limit of the other mode', { type: 'LimitsSet', data: { mode: 'live', maxMinor: 1n } }],
    [
      'destinations with it',
      {
        type: 'DestinationsSet',
        data: {
          mode: 'demo',
          destinations: [{ phoneHmac: `hmac of ${phone}`, phoneMasked: 'masked' }],
        },
      },
    ],
    [
      'a credential that was only rotated',
      { type: 'CredentialRevoked', data: { credentialId: 'credential of asha' } },
    ],
  ])('let the payout pass: %s', async (_what, event) => {
    const { send } = await given();
    await operatorSets(event);
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
  });
});

describe('an automatic approval at the time of sending', () => {
  const terms = { automaticMaxMinor: 4000n, automaticPerDayMinor: 9000n };
  const limits = (more: object): MerchantEvent => ({
    type: 'LimitsSet',
    data: { mode: 'demo', ...terms, ...more },
  });
  const passed = async () => {
    await operatorSets(limits({}));
    const process = begin({ terms, paidBefore: new Set([`hmac of ${phone}`]) });
    expect(await process.request('p-1', 4000n)).toMatchObject(stands('pending'));
    return process;
  };

  it.each([
    ['the automatic amount was lowered below it', { automaticMaxMinor: 3999n }],
    ['a day’s sum was lowered below this one payout', { automaticPerDayMinor: 3999n }],
    ['nothing passes alone any more', { automaticMaxMinor: undefined }],
  ])('no longer counts: %s; a second holder may then approve the payout', async (_what, more) => {
    const { decide, send } = await passed();
    await operatorSets(limits(more));
    expect(await send('p-1')).toMatchObject({ value: 'expired' });
    expect(log.events.at(-1)).toMatchObject({
      type: 'PayoutApprovalExpired',
      data: { why: 'checks' },
    });
    expect(rail.orders).toEqual([]);
    expect(await decide('p-1', approve)).toMatchObject(stands('pending'));
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
  });

  it('counts while its amount would still be approved automatically; the sums are not checked again', async () => {
    const { request, send } = await passed();
    expect(await request('p-2', 4000n)).toMatchObject(stands('pending'));
    await operatorSets(limits({ automaticPerDayMinor: 4000n }));
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
    expect(await send('p-2')).toMatchObject({ value: 'sent' });
  });
});

describe('a pause', () => {
  it.each([
    ['any merchant', {}],
    ['any merchant in the mode', { mode: 'demo' as const }],
    ['the merchant', { merchantId: 'm-1' }],
    ['the merchant in the mode', { merchantId: 'm-1', mode: 'demo' as const }],
  ])(
    'lets no further payout start for %s, at once and in every process, until it is resumed',
    async (_what, scope) => {
      const { request, decide, pause, resume, weighResume } = begin();
      const other = begin();
      await operatorSets();
      await request('p-0', 500n);
      await decide('p-0', approve);
      // The other process has read both streams before.
      expect(await other.send('p-0')).toMatchObject({ value: 'sent' });
      await request('p-1', 1000n);
      await decide('p-1', approve);
      expect(await pause(scope)).toEqual({ ok: true, value: 'paused' });
      expect(await pause(scope)).toEqual({ ok: true, value: 'unchanged' });
      expect(await other.send('p-1')).toMatchObject({ value: 'paused' });
      expect(typesOf('p-1').at(-1)).toBe('PayoutApproved');
      expect(rail.orders).toHaveLength(1);
      if ('mode' in scope) expect(await resume(scope)).toMatchObject({ ok: true });
      else {
        // One person alone may not release live money again.
        expect(await resume(scope)).toEqual(refused('second_admin_needed'));
        expect(await weighResume(scope)).toMatchObject({
          value: { needsTwo: true, seen: 'demo live 2' },
        });
        const people = { proposedBy: 'amina', confirmedBy: 'otieno' };
        const two = { by: 'two', proposalId: 'p', seen: 'demo live 2', ...people } as const;
        expect(await resume(scope, two)).toMatchObject({ ok: true });
        expect(log.events.at(-1)).toMatchObject({ type: 'PayoutsResumed', data: people });
        // A second confirmation after a crash adds nothing.
        const { length } = log.events;
        expect(await resume(scope, two)).toMatchObject({ ok: true });
        expect(log.events).toHaveLength(length);
      }
      expect(await other.send('p-1')).toMatchObject({ value: 'sent' });
    },
  );

  it.each([
    ['every merchant', {}],
    ['the merchant', { merchantId: 'm-1' }],
  ])(
    'for %s is not ended by an earlier proposal, even if another pause was open at that time',
    async (_what, scope) => {
      const { pause, resume, weighResume } = begin();
      await operatorSets();
      await pause(scope);
      const weighed = await weighResume({ ...scope, mode: 'live' });
      const seen = weighed.ok ? weighed.value.seen : '';
      const people = { proposedBy: 'amina', confirmedBy: 'otieno' };
      const old = { by: 'two', proposalId: 'p', seen, ...people } as const;
      expect(await pause(scope)).toEqual({ ok: true, value: 'unchanged' });
      expect(await resume({ ...scope, mode: 'live' }, old)).toEqual(refused('changed'));
      const newer = await weighResume(scope);
      const both = { ...old, proposalId: 'q', seen: newer.ok ? newer.value.seen : '' };
      expect(await resume(scope, both)).toMatchObject({ ok: true });
      await pause(scope);
      expect(await resume({ ...scope, mode: 'live' }, old)).toEqual(refused('changed'));
    },
  );

  it('stops a worker that read the log before the pause and was then suspended', async () => {
    const { request, decide, pause } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    let ms = 1_000_000;
    const clock = new (class extends Clock {
      override nowMs = () => ms;
    })();
    // Both streams are read, then the process is suspended for an hour.
    let reads = 0;
    const suspended = begin({ clock }, async (what) => {
      if (what !== 'read' || (reads += 1) < 3) return;
      await pause({});
      ms += hourMs;
    });
    const before = rail.orders.length;
    const outcome = await suspended.send('p-1');
    expect(['paused', 'unchanged']).toContain(outcome.ok && outcome.value);
    expect(rail.orders).toHaveLength(before);
    expect(typesOf('p-1').at(-1)).toBe('PayoutApproved');
  });

  it('has no effect on another merchant or mode, and cannot be ended if it is not open', async () => {
    const { request, decide, pause, resume, send } = begin();
    await request('p-1', 1000n);
    await decide('p-1', approve);
    await pause({ mode: 'live' });
    expect(await pause({ merchantId: 'm-2' })).toEqual(refused('unknown_merchant'));
    expect(await resume({ mode: 'demo' })).toEqual(refused('not_paused'));
    expect(await send('p-1')).toMatchObject({ value: 'sent' });
  });

  it('does not stop cancellations or the expiry of an approval', async () => {
    const { request, decide, pause, send, cancel, expire } = begin();
    for (const reference of ['p-1', 'p-2']) {
      await request(reference, 1000n);
      await decide(reference, approve);
    }
    await pause({});
    expect(await cancel('p-1')).toMatchObject(stands('rejected'));
    expect(await expire('p-2', later('p-2', 72))).toMatchObject({ value: 'expired' });
    expect(await send('p-2')).toMatchObject({ value: 'unchanged' });
  });
});
