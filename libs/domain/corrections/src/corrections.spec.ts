import { describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { MemoryLog } from '#testing';
import { type CorrectionTerms } from './correction.events.js';
import { Claims, leg, Receipts, startProcess, taking } from '../test/scene.js';

let made = 0;
const nextId = (): string => `id-${(made += 1)}`;

function begin(creditsMinor = 10_000n) {
  const log = new MemoryLog();
  const receipts = new Receipts();
  const operators = startProcess({ log, credits: () => creditsMinor, receipts, nextId });
  return { log, receipts, ...operators, types: () => log.events.map(({ type }) => type) };
}
const refused = (refusal: string) => ({ ok: false, refusal });

describe('a correction', () => {
  it('moves nothing until another operator confirms it, and then names both for ever', async () => {
    const { propose, confirm, types, log } = begin();
    const terms = taking(4000n, { corrects: 'correction-demo:c-0', why: 'line 12' });
    await propose('c-0', 'asha', taking(1n));
    expect(await propose('c-1', 'asha', terms)).toMatchObject({ ok: true });
    expect(types()).toEqual(['CorrectionProposed', 'CorrectionProposed']);
    expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true, value: { status: 'posted' } });
    const [reserved, posted] = log.events.slice(2);
    expect(reserved).toMatchObject({
      type: 'FundsReserved',
      stream: 'reservations-demo:m-1:1001:KES',
      data: { source: 'correction-demo:c-1', amountMinor: 4000n, totalMinor: 4000n },
      metadata: { v: 1, actor: { kind: 'operator', id: 'joseph' } },
    });
    expect(posted).toMatchObject({
      type: 'CorrectionPosted',
      stream: 'correction-demo:c-1',
      data: { ...terms, proposedBy: 'asha', confirmedBy: 'joseph' },
      metadata: { causationId: reserved?.id },
    });
    expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true });
    expect(log.events).toHaveLength(4);
  });

  it.each(['asha', ' ASHA', 'A sha', 'ａｓｈａ'])(
    'is not confirmed by its proposer, written as %j',
    async (who) => {
      const { propose, confirm, types } = begin();
      await propose('c-1', 'asha', taking(1n));
      expect(await confirm('c-1', who)).toEqual(refused('same_operator'));
      expect(types()).toEqual(['CorrectionProposed']);
    },
  );

  it.each(['post', 'machine', 'lost', 'viewer'])(
    'is confirmed only if its proposer may still decide: %s',
    async (who) => {
      const { log, propose, confirm, types } = begin();
      const person = `https://id.example#${who === 'machine' ? 'machine:root' : who}`;
      const data = { person, name: who, proposedBy: 'root' };
      const role = who === 'viewer' ? 'viewer' : 'finance';
      const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'a' } } as const;
      const granted = { type: 'RoleGranted', data: { ...data, role } };
      const revoked = { type: 'RoleRevoked', data: { ...data, role } };
      const history = { post: [granted], machine: [], lost: [granted, revoked], viewer: [granted] };
      const events = history[who as keyof typeof history];
      const added = events.map((event) => ({ id: nextId(), event, metadata }));
      if (added.length > 0) await log.append('platform-roles', 'no_stream', added);
      await propose('c-1', person, taking(1n));
      const mayBe = ['post', 'machine'].includes(who);
      expect(await confirm('c-1', 'joseph')).toMatchObject(
        mayBe ? { ok: true } : refused('proposer_lost_role'),
      );
      expect(types().includes('CorrectionPosted')).toBe(mayBe);
    },
  );

  it('is not confirmed by a person of another issuer, who may be its proposer', async () => {
    const { log, propose, confirm, types } = begin();
    const [person, elsewhere] = ['https://id.example#asha', 'https://new.example#asha'];
    const metadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: 'a' } } as const;
    const joseph = 'https://id.example#joseph';
    const granted = [person, joseph].map((each) => {
      const data = { person: each, name: 'N', role: 'finance', proposedBy: 'root' };
      return { id: nextId(), event: { type: 'RoleGranted', data }, metadata };
    });
    await log.append('platform-roles', 'no_stream', granted);
    await propose('c-1', person, taking(1n));
    expect(await confirm('c-1', elsewhere)).toEqual(refused('proposer_lost_role'));
    expect(types()).not.toContain('CorrectionPosted');
    expect(await confirm('c-1', joseph)).toMatchObject({ ok: true });
  });

  it('reserves nothing if it takes from no wallet', async () => {
    const { propose, confirm, types } = begin(0n);
    const legs = [leg('rail-clearing:mpesa', -500n), leg('wallet:1001', 500n)];
    await propose('c-1', 'asha', taking(1n, { legs }));
    await confirm('c-1', 'joseph');
    expect(types()).toEqual(['CorrectionProposed', 'CorrectionPosted']);
  });

  it('is refused if it exceeds the wallet’s funds, and may be confirmed once the wallet has them', async () => {
    let creditsMinor = 999n;
    const log = new MemoryLog();
    const { propose, confirm } = startProcess({ log, credits: () => creditsMinor, nextId });
    await propose('c-1', 'asha', taking(1000n));
    expect(await confirm('c-1', 'joseph')).toEqual(refused('insufficient_funds'));
    expect(log.events).toHaveLength(1);
    creditsMinor += 1n;
    expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true });
  });

  it('leaves its receipt to the one posted in its place if it was refused for its funds', async () => {
    const { propose, confirm } = begin(999n);
    const receipt = 'NLK8RU72TW';
    await propose('c-1', 'asha', taking(1000n, { receipt }));
    expect(await confirm('c-1', 'joseph')).toEqual(refused('insufficient_funds'));
    await propose('c-2', 'asha', taking(1000n, { receipt, mayOverdraw: true }));
    expect(await confirm('c-2', 'joseph')).toMatchObject({ ok: true, value: { status: 'posted' } });
  });

  it('may overdraw a wallet only as what the rail did: with its receipt, over its clearing account', async () => {
    const { propose, confirm, log } = begin(300n);
    const overdraw = { mayOverdraw: true } as const;
    const no = refused('overdraw_needs_rail');
    expect(await propose('c-1', 'asha', taking(1000n, overdraw))).toEqual(no);
    const legs = [leg('wallet:1001', -1000n), leg('fees', 1000n)];
    const receipt = 'NLK8RU72TW';
    expect(await propose('c-1', 'asha', taking(1n, { legs, receipt, ...overdraw }))).toEqual(no);
    // The rail took one shilling, so the rest would be the operator's own debit.
    const mostlyFees = [
      leg('wallet:1001', -1000n),
      leg('rail-clearing:mpesa', 100n),
      leg('fees', 900n),
    ];
    expect(
      await propose('c-1', 'asha', taking(1n, { legs: mostlyFees, receipt, ...overdraw })),
    ).toEqual(no);
    await propose('c-1', 'asha', taking(1000n, { receipt, ...overdraw }));
    expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true });
    expect(log.events[1]).toMatchObject({ type: 'FundsReserved', data: { totalMinor: 1000n } });
    await propose('c-2', 'asha', taking(1n));
    expect(await confirm('c-2', 'joseph')).toEqual(refused('insufficient_funds'));
  });
});

describe('an unconfirmed correction', () => {
  const receipt = 'NLK8RU72TW';
  const hours = 3_600_000;

  function beginAt(at: { laterMs: number; when?: (what: string) => Promise<void> }) {
    const log = new MemoryLog();
    const claims = new Claims();
    const clock = { now: () => instantFromMs(Date.now() + at.laterMs) };
    const shared = { log, credits: () => 10_000n, claims, clock, nextId };
    const one = startProcess({ ...shared, at: (what) => at.when?.(what) ?? Promise.resolve() });
    return { log, ...one, other: startProcess(shared), types: () => log.events.map(typeOf) };
  }
  const typeOf = ({ type }: { readonly type: string }): string => type;

  it('ends after 24 hours, can no longer be posted, and leaves its receipt to another', async () => {
    const at = { laterMs: 0 };
    const { propose, confirm, end, types } = beginAt(at);
    await propose('c-1', 'asha', taking(1000n, { receipt }));
    at.laterMs = 24 * hours - 60_000;
    expect(await end('c-1', 'expired', 'worker')).toEqual(refused('not_over'));
    at.laterMs = 24 * hours + 1;
    expect(await confirm('c-1', 'joseph')).toEqual(refused('expired'));
    expect(types()).toEqual(['CorrectionProposed', 'CorrectionEnded']);
    expect(await end('c-1', 'expired', 'worker')).toEqual({ ok: true, value: 'unchanged' });
    expect(await confirm('c-1', 'joseph')).toEqual(refused('expired'));
    expect(types()).toHaveLength(2);
    at.laterMs = 0;
    await propose('c-2', 'asha', taking(1000n, { receipt }));
    expect(await confirm('c-2', 'joseph')).toMatchObject({ ok: true });
  });

  it('keeps its receipt until it ends if a confirmation claimed it and died', async () => {
    const at: Parameters<typeof beginAt>[0] = { laterMs: 0 };
    const { propose, confirm, other, end } = beginAt(at);
    await propose('c-1', 'asha', taking(1000n, { receipt }));
    await propose('c-2', 'asha', taking(1000n, { receipt }));
    let calls = 0;
    // The process dies when it would append the reservation.
    at.when = (what) =>
      what.startsWith('append') && (calls += 1) > 0
        ? Promise.reject(new Error('died'))
        : Promise.resolve();
    await expect(confirm('c-1', 'joseph')).rejects.toThrow('died');
    expect(await other.confirm('c-2', 'joseph')).toEqual(refused('receipt_taken'));
    at.laterMs = 24 * hours + 1;
    delete at.when;
    expect(await end('c-1', 'expired', 'worker')).toEqual({ ok: true, value: 'ended' });
    at.laterMs = 0;
    expect(await other.confirm('c-2', 'joseph')).toMatchObject({ ok: true });
  });

  it('is still posted if its funds were reserved in time', async () => {
    const at: Parameters<typeof beginAt>[0] = { laterMs: 0 };
    const { propose, confirm, complete, end, types } = beginAt(at);
    await propose('c-1', 'asha', taking(1000n));
    let appends = 0;
    at.when = (what) =>
      what.startsWith('append') && (appends += 1) > 1
        ? Promise.reject(new Error('died'))
        : Promise.resolve();
    await expect(confirm('c-1', 'joseph')).rejects.toThrow('died');
    delete at.when;
    at.laterMs = 24 * hours + 1;
    expect(await end('c-1', 'expired', 'worker')).toEqual(refused('confirmed'));
    expect(await complete('c-1')).toEqual({ ok: true, value: 'completed' });
    expect(types()).toEqual(['CorrectionProposed', 'FundsReserved', 'CorrectionPosted']);
  });

  it('is withdrawn only by its proposer, and not after it was posted', async () => {
    const { propose, confirm, end, log } = beginAt({ laterMs: 0 });
    await propose('c-1', 'asha', taking(1000n));
    expect(await end('c-1', 'withdrawn', 'joseph')).toEqual(refused('not_proposer'));
    expect(await end('c-1', 'withdrawn', 'asha')).toEqual({ ok: true, value: 'ended' });
    expect(log.events.at(-1)).toMatchObject({
      type: 'CorrectionEnded',
      data: { merchantId: 'm-1', mode: 'demo', outcome: 'withdrawn' },
    });
    expect(await confirm('c-1', 'joseph')).toEqual(refused('withdrawn'));
    expect(await end('c-9', 'withdrawn', 'asha')).toEqual(refused('unknown_correction'));
    await propose('c-2', 'asha', taking(1000n));
    await confirm('c-2', 'joseph');
    expect(await end('c-2', 'withdrawn', 'asha')).toEqual(refused('already_posted'));
  });

  it('gives back what a confirmation reserved after its end', async () => {
    const at: Parameters<typeof beginAt>[0] = { laterMs: 0 };
    const { propose, confirm, other, types, log } = beginAt(at);
    await propose('c-1', 'asha', taking(1000n));
    at.when = async (what) => {
      // The correction ends just before the reservation is appended.
      if (!what.startsWith('append')) return;
      delete at.when;
      await other.end('c-1', 'withdrawn', 'asha');
    };
    expect(await confirm('c-1', 'joseph')).toEqual(refused('withdrawn'));
    expect(types()).toEqual([
      ...['CorrectionProposed', 'CorrectionEnded', 'FundsReserved', 'ReservationReleased'],
    ]);
    expect(log.events.at(-1)).toMatchObject({ data: { totalMinor: 0n } });
  });
});

it('a correction may put a payout right: what the rail paid beyond it, or gave back', async () => {
  const { propose, confirm, log } = begin();
  const corrects = 'payout-demo:m-1:p-1';
  const metadata = { v: 1, correlationId: 'c', actor: { kind: 'operator', id: 'a' } } as const;
  await log.append(corrects, 'no_stream', [
    { id: 'x', event: { type: 'PayoutRequested', data: { merchantId: 'm-1' } }, metadata },
  ]);
  expect(await propose('c-1', 'asha', taking(10n, { corrects }))).toMatchObject({ ok: true });
  expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true, value: { status: 'posted' } });
  expect(log.events.at(-1)).toMatchObject({ data: { corrects } });
});

describe('the id of a correction', () => {
  it('names one proposal, however often it is sent, also after others have reserved', async () => {
    const { propose, confirm, types } = begin();
    expect(await propose('c-1', 'asha', taking(1n))).toMatchObject({ ok: true });
    await propose('c-2', 'asha', taking(1n));
    await confirm('c-2', 'joseph');
    expect(await propose('c-1', 'asha', taking(1n))).toMatchObject({ ok: true });
    await confirm('c-1', 'joseph');
    expect(await propose('c-1', 'asha', taking(1n))).toMatchObject({
      ok: true,
      value: { status: 'posted' },
    });
    expect(types().filter((type) => type === 'CorrectionProposed')).toHaveLength(2);
  });

  it.each<[string, string, Partial<CorrectionTerms>]>([
    ['operator', 'wanjiru', {}],
    ['reason', 'asha', { why: 'other' }],
    ['receipt', 'asha', { receipt: 'NLK8RU72TW' }],
    ['amount', 'asha', { legs: taking(2n).legs }],
  ])('is refused with another %s', async (_what, who, more) => {
    const { propose } = begin();
    await propose('c-1', 'asha', taking(1n));
    expect(await propose('c-1', who, taking(1n, more))).toEqual(refused('id_reused'));
  });
});

describe('refused', () => {
  const railGives = leg('rail-clearing:mpesa', -10n);
  it.each<[string, Partial<CorrectionTerms>]>([
    ['not_balanced', { legs: [leg('wallet:1001', -10n), leg('fees', 9n)] }],
    ['too_few_legs', { legs: [] }],
    ['leg_of_nothing', { legs: [leg('wallet:1001', 0n), leg('fees', 0n)] }],
    ['account_repeated', { legs: [leg('fees', -5n), leg('fees', 5n)] }],
    ['amount_too_large', { legs: [leg('fees', -(10n ** 16n)), leg('suspense', 10n ** 16n)] }],
    [
      'several_wallets_debited',
      { legs: [leg('wallet:1001', -5n), leg('wallet:1002', -5n), leg('fees', 10n)] },
    ],
    ['unknown_account', { legs: [railGives, leg('wallet:9999', 10n)] }],
    ['unknown_account', { legs: [railGives, leg('rail-clearing:visa', 10n)] }],
    ['unknown_account', { currency: 'USD' }],
    ['unknown_account', { merchantId: 'm-2' }],
    ['unknown_stream', { corrects: 'collection-demo:m-1:NONE' }],
    ['unknown_stream', { corrects: 'collection-live:m-1:INV-1' }],
    ['unknown_stream', { corrects: 'correction-demo:of-m-2' }],
    ['unknown_stream', { corrects: 'payout-demo:m-1:NONE' }],
    ['unknown_stream', { corrects: 'payout-live:m-1:p-1' }],
    ['unknown_stream', { corrects: 'merchant-m-1' }],
    ['receipt_taken', { receipt: 'TAKEN00001' }],
  ])('is %s: %j', async (refusal, more) => {
    const { propose, receipts, log } = begin();
    receipts.taken.set('TAKEN00001', 'collection-demo:m-1:INV-2');
    const data = { merchantId: 'm-2' };
    const metadata = { v: 1, correlationId: 'c', actor: { kind: 'operator', id: 'a' } } as const;
    await log.append('correction-demo:of-m-2', 'no_stream', [
      { id: 'x', event: { type: 'CorrectionProposed', data }, metadata },
    ]);
    expect(await propose('c-1', 'asha', taking(10n, more))).toEqual(refused(refusal));
    expect(log.events).toHaveLength(1);
  });

  it('is a correction that no one proposed', async () => {
    expect(await begin().confirm('c-1', 'joseph')).toEqual(refused('unknown_correction'));
  });

  it('is a confirmation whose receipt another took meanwhile', async () => {
    const { propose, confirm, receipts, types } = begin();
    await propose('c-1', 'asha', taking(10n, { receipt: 'NLK8RU72TW' }));
    receipts.taken.set('NLK8RU72TW', 'collection-demo:m-1:INV-2');
    expect(await confirm('c-1', 'joseph')).toEqual(refused('receipt_taken'));
    expect(types()).toEqual(['CorrectionProposed']);
  });
});

describe('the worker', () => {
  it('completes nothing that no operator confirmed', async () => {
    const { propose, complete, types } = begin();
    expect(await complete('c-1')).toEqual(refused('unknown_correction'));
    await propose('c-1', 'asha', taking(10n));
    expect(await complete('c-1')).toEqual(refused('not_reserved'));
    expect(types()).toEqual(['CorrectionProposed']);
  });
});
