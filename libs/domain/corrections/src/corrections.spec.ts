import { describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#testing';
import { type CorrectionTerms } from './correction.events.js';
import { leg, Receipts, startProcess, taking } from '../test/scene.js';

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
    'is not confirmed by who proposed it, written as %j',
    async (who) => {
      const { propose, confirm, types } = begin();
      await propose('c-1', 'asha', taking(1n));
      expect(await confirm('c-1', who)).toEqual(refused('same_operator'));
      expect(types()).toEqual(['CorrectionProposed']);
    },
  );

  it('that takes from no wallet reserves nothing', async () => {
    const { propose, confirm, types } = begin(0n);
    const legs = [leg('rail-clearing:mpesa', -500n), leg('wallet:1001', 500n)];
    await propose('c-1', 'asha', taking(1n, { legs }));
    await confirm('c-1', 'joseph');
    expect(types()).toEqual(['CorrectionProposed', 'CorrectionPosted']);
  });

  it('that takes more than the wallet has is refused, and may be confirmed when the wallet has it', async () => {
    let creditsMinor = 999n;
    const log = new MemoryLog();
    const { propose, confirm } = startProcess({ log, credits: () => creditsMinor, nextId });
    await propose('c-1', 'asha', taking(1000n));
    expect(await confirm('c-1', 'joseph')).toEqual(refused('insufficient_funds'));
    expect(log.events).toHaveLength(1);
    creditsMinor += 1n;
    expect(await confirm('c-1', 'joseph')).toMatchObject({ ok: true });
  });

  it('that is refused for its funds leaves its receipt to the one that is posted in its place', async () => {
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
    // The rail took one shilling: the rest would be the operator's own.
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

  it('is what nobody proposed', async () => {
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
