import { describe, expect, it } from '@jest/globals';
import {
  payoutTestNumbers,
  refundTestNumbers,
  type TestNumber,
  testNumbers,
} from '#edges/api-docs';
import { type PayoutScenario, payoutScenarios } from './payout.js';
import { type ReversalScenario, reversalScenarios } from './reversal.js';
import { type Scenario, scenarios } from './scenarios.js';

type End = Pick<TestNumber, 'ends' | 'failureCode'>;

/** The service's names of the codes that the simulator sends, as collections show them. */
const failureCodes: Readonly<Record<number, string>> = {
  1: 'insufficient_funds',
  1001: 'subscriber_busy',
  1032: 'cancelled',
  1037: 'no_answer',
  2001: 'wrong_pin',
};
const payoutFailureCodes: Readonly<Record<number, string>> = { 8: 'balance_limit_exceeded' };

const failed = (failureCode: string | undefined): End => ({
  ends: 'failed',
  ...(failureCode !== undefined && { failureCode }),
});

function endOf({ push, steps, extraMinor }: Scenario): End {
  if (push === 'invalid') return failed('invalid_request');
  if (push === 'busy') return failed('rail_refused');
  const last = steps.at(-1);
  if (!last) throw new TypeError('a scenario without a step');
  if (last.result !== 0)
    return last.callbacks === 0 ? { ends: 'pending' } : failed(failureCodes[last.result]);
  return { ends: extraMinor === 0n ? 'completed' : 'pending' };
}

function endOfPayout({ answer, result, paysLater }: PayoutScenario): End {
  if (answer === 'invalid') return failed('invalid_request');
  if (result === undefined) return { ends: 'pending' };
  return result === 0 || paysLater === true
    ? { ends: 'completed' }
    : failed(payoutFailureCodes[result]);
}

function endOfRefund({ answer, result, isDoneByHand }: ReversalScenario): End {
  if (answer === 'invalid') return failed('invalid_request');
  if (result === undefined || isDoneByHand) return { ends: 'pending' };
  return result === 0 ? { ends: 'completed' } : failed('rail_float_insufficient');
}

const documented = (numbers: readonly TestNumber[]) =>
  Object.fromEntries(
    numbers
      .filter(({ phone }) => phone.startsWith('254700000'))
      .map(({ phone, ends, failureCode }) => [
        phone,
        { ends, ...(failureCode !== undefined && { failureCode }) },
      ]),
  );

describe('the test numbers of the reference', () => {
  it('are the simulator’s numbers for collections, with their ends', () => {
    const simulated = Object.entries(scenarios).map(([phone, of]) => [phone, endOf(of)]);
    expect(documented(testNumbers)).toEqual(Object.fromEntries(simulated));
  });

  it('are the simulator’s numbers for payouts, with their ends', () => {
    const simulated = Object.entries(payoutScenarios).map(([phone, of]) => [
      phone,
      endOfPayout(of),
    ]);
    expect(documented(payoutTestNumbers)).toEqual(Object.fromEntries(simulated));
  });

  it('are the simulator’s numbers for refunds, with their ends', () => {
    const simulated = Object.entries(reversalScenarios).map(([phone, of]) => [
      phone,
      endOfRefund(of),
    ]);
    expect(documented(refundTestNumbers)).toEqual(Object.fromEntries(simulated));
  });

  it('say the failure code of each that fails when it is created or declined', () => {
    for (const { outcome, failureCode } of [
      ...testNumbers,
      ...payoutTestNumbers,
      ...refundTestNumbers,
    ])
      if (failureCode !== undefined && !outcome.includes('rail_rejected'))
        expect(outcome).toContain(`\`${failureCode}\``);
  });
});
