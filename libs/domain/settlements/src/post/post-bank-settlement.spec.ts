import { describe, expect, it } from '@jest/globals';
import { instantFromMs, type Mode } from '#domain/kernel';
import { Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { isBalanced } from '#domain/ledger';
import { type ReceiptClaim, ReceiptClaims, ReceiptUse, UsedReceipts } from '#domain/reviews';
import { MemoryLog } from '#testing';
import {
  type BankSettlementPosted,
  settlementEventTypes,
  settlementStream,
} from '../bank-settlement.events.js';
import {
  PostBankSettlement,
  PostBankSettlementHandler,
  type Sweep,
} from './post-bank-settlement.command.js';

const sweep: Sweep = {
  channel: 'mpesa',
  mode: 'demo',
  currency: 'KES',
  receipt: 'NLK9SW83UX',
  amountMinor: 2_500_000n,
};
const metadata = { correlationId: 'spec', actor: { kind: 'rail', id: 'mpesa' } } as const;
const paidAt = instantFromMs(Date.UTC(2026, 10, 20, 15, 0, 7));
const stream = settlementStream(sweep);

class Claims extends ReceiptClaims {
  held: ReceiptClaim | undefined;
  override claim(wanted: ReceiptClaim) {
    if (this.held && this.held.stream !== wanted.stream)
      return Promise.resolve({ ...this.held, isAppended: false, ageMs: 0 });
    this.held = wanted;
    return Promise.resolve(undefined);
  }
  override appended = () => Promise.resolve();
  override pass = () => Promise.resolve(false);
}

class Used extends UsedReceipts {
  constructor(private readonly streams: readonly string[]) {
    super();
  }
  override streamsWith = (_mode: Mode, _receipt: string) => Promise.resolve(this.streams);
}

/** Several processes over one log and one set of records. */
function processes(used: readonly string[] = []) {
  const store = new MemoryLog();
  const claims = new Claims();
  let made = 0;
  const ids = { next: () => `id-${(made += 1)}` };
  const one = () => {
    const receipts = new ReceiptUse(store, claims, new Used(used));
    const handler = new PostBankSettlementHandler(new Pipeline(store, ids), receipts);
    return (of: Partial<Sweep> = {}, by: 'list' | 'statement' = 'list') =>
      handler.execute(new PostBankSettlement({ ...sweep, ...of }, by, metadata));
  };
  const posted = () =>
    (store.streams.get(stream) ?? []) as readonly RecordedEvent<BankSettlementPosted>[];
  return { one, claims, posted };
}

describe('a sweep to the bank', () => {
  it('is posted with legs that credit clearing and sum to zero', async () => {
    const { one, posted } = processes();
    expect(await one()({ paidAt })).toEqual({ ok: true, value: true });
    expect(posted()).toHaveLength(1);
    const { data } = posted()[0] ?? { data: undefined };
    expect(data).toEqual({
      ...sweep,
      paidAt,
      by: 'list',
      legs: [
        { account: 'bank-settlement:mpesa', amountMinor: -2_500_000n },
        { account: 'rail-clearing:mpesa', amountMinor: 2_500_000n },
      ],
    });
    expect(isBalanced(data?.legs ?? [])).toBe(true);
  });

  it('is posted once, however many processes report it from both sources at once (SWEEP-2)', async () => {
    const { one, posted } = processes();
    const reports = Array.from({ length: 6 }, (_, index) =>
      one()({}, index % 2 === 0 ? 'list' : 'statement'),
    );
    const answers = await Promise.all(reports);
    expect(answers.filter((answer) => answer.ok && answer.value)).toHaveLength(1);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(posted()).toHaveLength(1);
  });

  it('with another amount than the posted one changes nothing', async () => {
    const { one, posted } = processes();
    await one()();
    const refused = { ok: false, refusal: 'amount_differs' };
    expect(await one()({ amountMinor: 2_500_001n })).toEqual(refused);
    expect(posted()).toHaveLength(1);
  });

  it('is not posted if another stream has its receipt, or is about to get it', async () => {
    const correction = 'correction-demo:c-1';
    const [known, claimed] = [processes([correction]), processes()];
    claimed.claims.held = {
      mode: 'demo',
      receipt: sweep.receipt,
      stream: correction,
      revision: 4n,
    };
    for (const { one, posted } of [known, claimed]) {
      expect(await one()()).toEqual({ ok: false, refusal: 'receipt_taken' });
      expect(posted()).toHaveLength(0);
    }
  });

  it('has a stream of its own for each rail, mode and receipt', () => {
    expect(stream).toBe('platform-settlement-demo:mpesa:NLK9SW83UX');
    expect(Object.keys(settlementEventTypes)).toEqual(['BankSettlementPosted']);
  });
});
