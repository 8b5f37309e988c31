import { describe, expect, it } from '@jest/globals';
import { type MissedPayment } from '#desk/operators';
import { missedNextStep } from './index.js';

const step = (of: Partial<MissedPayment>) =>
  missedNextStep({
    channel: 'mpesa',
    mode: 'demo',
    receipt: 'TKL0000001',
    day: '2026-11-20',
    amountMinor: 9_000n,
    stream: 'collection-demo:m-1:INV-1',
    why: 'not_settled',
    holds: 'nothing',
    mayBe: [],
    ...of,
  });
const named = 'INV-1 --type collection --merchant m-1 --mode demo';
const toSuspense =
  'npx pesapost correction post --merchant m-1 --mode demo --currency KES --leg suspense=9000 ' +
  '--leg rail-clearing:mpesa=-9000 --corrects collection-demo:m-1:INV-1 --receipt TKL0000001 ' +
  '--reason "asked the rail about 2026-11-20"';

describe('a payment of the rail’s list that the ledger does not hold', () => {
  it('opens the review of its collection, without a time whose zone is not certain', () => {
    expect(step({}).command).toBe(
      `npx pesapost review open ${named} --receipt TKL0000001 --amount 9000 ` +
        '--reason "asked the rail about 2026-11-20"',
    );
  });

  it('goes to suspense if another payment paid its collection, since then or before', () => {
    expect(step({ why: 'paid_twice', holds: 'another_payment' }).command).toBe(toSuspense);
    expect(step({ holds: 'another_payment' }).command).toBe(toSuspense);
  });

  const unasked = { why: 'nobody_asked', stream: null } as const;

  it('goes to suspense if no one asked for it and nothing here may explain it', () => {
    expect(step(unasked).command).toContain('--leg suspense=9000');
  });

  it('is never posted if a collection may explain it, such as one settled without a receipt', () => {
    const mayBe = ['collection-demo:m-1:INV-1', 'collection-demo:m-2:INV-2'];
    const { what, command } = step({ ...unasked, mayBe });
    expect(command).toBe(`npx pesapost history ${named}`);
    expect(what).toMatch(
      /INV-1 of merchant m-1, or of INV-2 of merchant m-2.*Post nothing before that/,
    );
  });

  it('is never posted while a merchant whose payment it may be is held back', () => {
    expect(step({ ...unasked, mayBe: undefined }).command).toBe('npx pesapost status');
  });

  it.each(['not_settled', 'paid_twice'] as const)(
    'is not posted a second time if it may be what was posted, with another amount (%s)',
    (why) => {
      const { what, command } = step({ why, holds: 'another_amount' });
      expect(command).toBe(`npx pesapost history ${named}`);
      expect(what).toContain('post the difference');
    },
  );
});
