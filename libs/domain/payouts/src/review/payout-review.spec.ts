import { type Verdict } from '#domain/rails';
import { type Ruling } from '#domain/reviews';
import { MemoryLog } from '#testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Proposals } from '../../test/operators.js';
import {
  Allowances,
  happened,
  NotingRail,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../../test/scene.js';

const paid: Verdict = { kind: 'paid', resultCode: '0', receipt: 'NLK8RU72TW' };
const declined: Verdict = { kind: 'declined', failureCode: 'rail_declined' };
const found = (amountMinor = 4000n, receipt = 'NLJ7RT61SV'): Ruling => ({
  decision: 'paid',
  payment: { receipt, amountMinor },
});
const stands: Ruling = { decision: 'paid' };
const failed: Ruling = { decision: 'failed' };
const refused = (refusal: string) => ({ ok: false, refusal });
const becomes = (status: string) => ({ ok: true, value: { view: { status } } });

let world: World & { readonly log: MemoryLog; readonly proposals: Proposals };
let made: number;
beforeEach(() => {
  made = 0;
  world = {
    log: new MemoryLog(),
    rail: new NotingRail(),
    phones: new Phones(),
    allowances: new Allowances(),
    proposals: new Proposals(),
    credits: () => 10_000n,
    nextId: () => `id-${(made += 1)}`,
    feeBasisPoints: 150,
    terms: { maxPerDayMinor: 1_000_000n },
  };
});

const types = (): string[] => world.log.events.map(({ type }) => type);
const reserved = (): bigint =>
  (
    world.log.events.findLast(({ stream }) => stream.startsWith('reservations-'))?.data as {
      totalMinor: bigint;
    }
  ).totalMinor;

async function approved() {
  const process = startProcess(world);
  await process.request('p-1', 4000n);
  await process.decide('p-1', { verdict: 'approve', holder: 'joseph' });
  return process;
}

/** Sent, without any report, and listed for review. */
async function unheard() {
  const process = await approved();
  await process.send('p-1');
  await process.flag('p-1', 'no_word_from_rail');
  return process;
}

/** Not sent because the rail's float is missing, and listed for review. */
async function withoutFloat() {
  const process = await approved();
  world.rail.floatMinor = 0n;
  await process.send('p-1');
  await process.flag('p-1', 'float_missing');
  return process;
}

it('a payout that the rail received in a lost log history is not ended as never sent', async () => {
  Object.assign(world, { orderedBefore: new Set([streamOf('p-1')]) });
  const { rule, agree, send } = await withoutFloat();
  await rule('p-1', 'asha', failed);
  expect(await agree('p-1', 'joseph')).toEqual(refused('given_before'));
  expect(world.log.events.at(-1)).toMatchObject({
    type: 'ReviewFlagged',
    data: { why: 'given_before' },
  });
  expect(await agree('p-1', 'joseph')).toEqual(refused('no_proposal'));
  expect([reserved(), types().includes('PayoutRejected')]).toEqual([4060n, false]);
  // The rail is queried about it instead.
  expect(await send('p-1', true)).toMatchObject({ value: 'asked_about' });
});

describe('a payout with no report from the rail', () => {
  it('is posted once two operators have found it on the statement', async () => {
    const { rule, agree } = await unheard();
    const before = types().length;
    expect(await rule('p-1', 'asha', found())).toMatchObject({ ok: true });
    expect(types()).toHaveLength(before);
    expect(await agree('p-1', ' ASHA')).toEqual(refused('same_operator'));
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
    expect(types().slice(before)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    expect(world.log.events[before]).toMatchObject({
      data: { decision: 'paid', reason: 'line 12', proposedBy: 'asha', confirmedBy: 'joseph' },
      metadata: { actor: { kind: 'operator', id: 'joseph' }, reason: 'line 12' },
    });
    expect(reserved()).toBe(4060n);
    expect(world.phones.kept.size).toBe(0);
    expect(await agree('p-1', 'joseph')).toEqual(refused('no_proposal'));
  });

  it('is not decided by the proposal of a person who may no longer decide', async () => {
    const { rule, agree } = await unheard();
    const before = types().length;
    await rule('p-1', 'https://id.example#asha', found());
    expect(await agree('p-1', 'joseph')).toEqual(refused('proposer_lost_role'));
    expect(types()).toHaveLength(before);
  });

  it('ends a proposal that the rail overtook, even if its proposer may no longer decide', async () => {
    const { rule, agree, report } = await unheard();
    await rule('p-1', 'https://id.example#asha', found());
    await report('p-1', { verdict: paid });
    expect(await agree('p-1', 'joseph')).toEqual(refused('overtaken'));
    expect(world.proposals.all).toMatchObject([{ outcome: 'overtaken' }]);
  });

  it('is not decided by a proposer who may now only open reviews, except by the payment that they found', async () => {
    const { rule, agree } = await unheard();
    const [person, name, role] = ['https://id.example#asha', 'asha', 'support'] as const;
    const granted = { person, name, role, proposedBy: 'root' };
    await happened(world.log, 'platform-roles', [['RoleGranted', granted]]);
    await rule('p-1', person, failed);
    expect(await agree('p-1', 'joseph')).toEqual(refused('proposer_lost_role'));
    await rule('p-1', person, found());
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
  });

  it('fails only by two operators and releases its money once; a later success is still posted', async () => {
    const { rule, agree, report } = await unheard();
    await rule('p-1', 'asha', failed);
    expect(reserved()).toBe(4060n);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('failed'));
    expect(reserved()).toBe(0n);
    expect(world.log.events.findLast(({ type }) => type === 'RailDeclined')?.data).toEqual({
      by: 'operator',
      failureCode: 'not_paid',
    });
    expect(await report('p-1', { verdict: paid })).toMatchObject({
      value: { status: 'completed' },
    });
    expect(reserved()).toBe(4060n);
    expect(world.log.events.at(-1)?.data).toEqual({ why: 'paid_after_decline' });
  });

  it('is decided by the rail if the rail reports before the second operator', async () => {
    const { rule, agree, report } = await unheard();
    await rule('p-1', 'asha', failed);
    await report('p-1', { verdict: paid });
    expect(await agree('p-1', 'joseph')).toEqual(refused('overtaken'));
    expect(types()).not.toContain('ReviewDecided');
    expect(world.proposals.all).toMatchObject([{ outcome: 'overtaken' }]);
  });

  it.each<[string, Ruling]>([
    ['payment_missing', stands],
    ['amount_differs', found(3999n)],
    ['not_possible', { decision: 'refunded' }],
  ])('rejects an incomplete or impossible decision: %s', async (refusal, ruling) => {
    const { rule } = await unheard();
    expect(await rule('p-1', 'asha', ruling)).toEqual(refused(refusal));
  });

  it('cannot be decided with the receipt of another payout', async () => {
    const { request, decide, send, flag, report, rule, agree } = await unheard();
    await request('p-2', 4000n);
    await decide('p-2', { verdict: 'approve', holder: 'joseph' });
    await send('p-2');
    await flag('p-2', 'no_word_from_rail');
    await rule('p-1', 'asha', found());
    expect(await rule('p-2', 'asha', found())).toEqual(refused('receipt_proposed'));
    await report('p-2', { verdict: { ...paid, receipt: 'NLJ7RT61SV' } });
    expect(await agree('p-1', 'joseph')).toEqual(refused('receipt_taken'));
    expect(await rule('p-1', 'asha', found())).toEqual(refused('receipt_taken'));
  });

  it('is decided and settled once, wherever the confirming process dies', async () => {
    class Died extends Error {}
    for (let diesAfter = 0; diesAfter < 16; diesAfter += 1) {
      world = { ...world, log: new MemoryLog(), proposals: new Proposals() };
      const { rule, agree, complete } = await unheard();
      await rule('p-1', 'asha', failed);
      let calls = 0;
      const dying = startProcess(world, () => {
        calls += 1;
        return calls > diesAfter ? Promise.reject(new Died()) : Promise.resolve();
      });
      await dying.agree('p-1', 'joseph').catch((error: unknown) => {
        if (!(error instanceof Died)) throw error;
      });
      await complete('p-1');
      await agree('p-1', 'joseph');
      expect(types().filter((type) => type === 'ReviewDecided')).toHaveLength(1);
      expect(types().filter((type) => type === 'ReservationReleased')).toHaveLength(1);
      expect(reserved()).toBe(0n);
    }
  });
});

describe('a payout that was never sent', () => {
  it('can only fail: it is rejected, never sent, and its share of the daily limit is free again', async () => {
    const { rule, agree, send } = await withoutFloat();
    expect(await rule('p-1', 'asha', found())).toEqual(refused('not_possible'));
    await rule('p-1', 'asha', failed);
    expect(world.allowances.claims.size).toBe(1);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('rejected'));
    world.rail.floatMinor = 4000n;
    expect(await send('p-1')).toMatchObject({ value: 'unchanged' });
    expect(world.rail.orders).toHaveLength(0);
    expect(reserved()).toBe(0n);
    expect(world.phones.kept.size).toBe(0);
    expect(world.allowances.claims.size).toBe(0);
  });

  it('leaves the review if it is sent meanwhile, and an old proposal no longer decides it', async () => {
    const { rule, send } = await withoutFloat();
    await rule('p-1', 'asha', failed);
    world.rail.floatMinor = 4000n;
    // Runs between the second operator's reads and append.
    let isSent = false;
    const slow = startProcess(world, async (what) => {
      if (what !== 'append sent' || isSent) return;
      isSent = true;
      await send('p-1');
    });
    expect(await slow.agree('p-1', 'joseph')).toEqual(refused('overtaken'));
    expect(types()).not.toContain('ReviewDecided');
    expect(await rule('p-1', 'asha', failed)).toEqual(refused('not_under_review'));
  });

  it('needs a new proposal if it was sent before it came under review again', async () => {
    const { rule, agree, send, flag } = await withoutFloat();
    await rule('p-1', 'asha', failed);
    world.rail.floatMinor = 4000n;
    await send('p-1');
    await flag('p-1', 'no_word_from_rail');
    expect(await agree('p-1', 'joseph')).toEqual(refused('overtaken'));
    expect(reserved()).toBe(4060n);
    await rule('p-1', 'asha', failed);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('failed'));
  });
});

describe('a payout that was settled before the review', () => {
  it('is posted by two operators after a decline, regardless of available funds, and is not flagged again', async () => {
    const { report, request, flag, rule, agree } = await unheard();
    await report('p-1', { verdict: declined });
    await report('p-1', { verdict: { ...paid, amountMinor: 3999n } });
    await request('p-2', 9000n);
    expect(await rule('p-1', 'asha', found())).toMatchObject({ ok: true });
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
    expect(types().slice(-4)).toEqual([
      ...['ReviewDecided', 'RailConfirmed', 'FundsReserved', 'WalletPosted'],
    ]);
    expect(reserved()).toBe(9135n + 4060n);
    expect(await flag('p-1', 'no_word_from_rail')).toMatchObject({ value: 'unchanged' });
  });

  it('stays completed if two operators confirm it; naming a payment is rejected', async () => {
    const { report, rule, agree } = await unheard();
    await report('p-1', { verdict: paid });
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001' } });
    expect(await rule('p-1', 'asha', failed)).toEqual(refused('not_possible'));
    expect(await rule('p-1', 'asha', found())).toEqual(refused('payment_not_asked'));
    await rule('p-1', 'asha', stands);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
    expect(types().filter((type) => type === 'WalletPosted')).toHaveLength(1);
    expect(await rule('p-1', 'asha', stands)).toEqual(refused('not_under_review'));
  });

  it('is not decided by a proposal from before the rail reported other money', async () => {
    const { report, rule, agree } = await unheard();
    await report('p-1', { verdict: declined });
    await report('p-1', { verdict: paid });
    await rule('p-1', 'asha', stands);
    await report('p-1', { verdict: { ...paid, receipt: 'OTHER00001' } });
    expect(await agree('p-1', 'joseph')).toEqual(refused('overtaken'));
    expect(types()).not.toContain('ReviewDecided');
    await rule('p-1', 'asha', stands);
    expect(await agree('p-1', 'joseph')).toMatchObject({ ok: true });
  });

  it('is flagged once if another payout has its receipt, regardless of the decision', async () => {
    const { report, flag, rule, agree } = await unheard();
    expect(await flag('p-1', 'duplicate_receipt')).toMatchObject({ value: 'unchanged' });
    await report('p-1', { verdict: paid });
    expect(await flag('p-1', 'duplicate_receipt')).toMatchObject({ value: 'flagged' });
    await rule('p-1', 'asha', stands);
    await agree('p-1', 'joseph');
    expect(await flag('p-1', 'duplicate_receipt')).toMatchObject({ value: 'unchanged' });
  });
});

describe('a payout that an operator finds on the statement before it is listed', () => {
  const payment = { receipt: 'NLJ7RT61SV', amountMinor: 4000n };
  const flags = () =>
    world.log.events.flatMap(({ type, data }) => (type === 'ReviewFlagged' ? [data] : []));
  async function sent() {
    const process = await approved();
    await process.send('p-1');
    return process;
  }

  it('is listed once and proposed as paid, and another operator posts it', async () => {
    const { open, agree } = await sent();
    expect(await open('p-1', 'asha', payment)).toMatchObject({ ok: true });
    expect(await open('p-1', 'asha', payment)).toMatchObject({ ok: true });
    expect(flags()).toEqual([{ why: 'opened_by_operator' }]);
    expect(await agree('p-1', 'asha')).toEqual(refused('same_operator'));
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
  });

  it('is reserved again and posted if it had failed', async () => {
    const { open, agree, report } = await sent();
    await report('p-1', { verdict: declined });
    await open('p-1', 'asha', payment);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
    expect(reserved()).toBe(4060n);
  });

  it('stays listed and reserved even if the rail then declines it', async () => {
    const { open, agree, report } = await sent();
    await open('p-1', 'asha', payment);
    await report('p-1', { verdict: declined });
    expect(reserved()).toBe(4060n);
    expect(await agree('p-1', 'joseph')).toMatchObject(becomes('completed'));
    expect(flags()).toHaveLength(1);
    expect(types()).not.toContain('RailDeclined');
  });

  it('cannot be opened with another amount or receipt, or if nothing can have been paid', async () => {
    const { open, request, decide, send, report } = await approved();
    expect(await open('p-1', 'asha', payment)).toEqual(refused('not_possible'));
    expect(await open('p-9', 'asha', payment)).toEqual(refused('unknown_payout'));
    await send('p-1');
    const other = { ...payment, amountMinor: 3999n };
    expect(await open('p-1', 'asha', other)).toEqual(refused('amount_differs'));
    await request('p-2', 4000n);
    await decide('p-2', { verdict: 'approve', holder: 'joseph' });
    await send('p-2');
    await report('p-2', { verdict: { ...paid, receipt: payment.receipt } });
    expect(await open('p-1', 'asha', payment)).toEqual(refused('receipt_taken'));
    expect(await open('p-2', 'asha', payment)).toEqual(refused('not_possible'));
    expect(flags()).toEqual([]);
  });
});

it('a payout that is not under review cannot be decided', async () => {
  const { rule, agree } = await approved();
  expect(await rule('p-1', 'asha', failed)).toEqual(refused('not_under_review'));
  expect(await rule('p-2', 'asha', failed)).toEqual(refused('unknown_payout'));
  expect(await agree('p-1', 'joseph')).toEqual(refused('no_proposal'));
  expect(streamOf('p-1')).toBe('payout-demo:m-1:p-1');
});
