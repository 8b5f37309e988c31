import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  apiErrors,
  customerFailures,
  deliveryStates,
  failureOf,
  failures,
  type FailureCode,
  glossaryPage,
  itemTypes,
  modesWithMoney,
  onRail,
  reviewCauses,
  roles,
  statuses,
  type Term,
} from './index.js';

describe('the glossary', () => {
  it('is the reference page: run npm run golden after a change', () => {
    expect(readFileSync('docs/reference/glossary.md', 'utf8')).toBe(glossaryPage());
  });

  it('has labels without a full stop, and sentences with one', () => {
    const tables: readonly Readonly<Record<string, Term>>[] = [
      ...[statuses, itemTypes, deliveryStates, roles],
    ];
    const labels = tables.flatMap((of) => Object.values(of).flatMap(({ en, sw }) => [en, sw]));
    const reasons = Object.values(failures).flatMap(({ reason }) => Object.values(reason));
    expect([...labels, ...reasons].filter((label) => label.endsWith('.'))).toEqual([]);
    const sentences = [
      ...Object.values(failures).flatMap(({ next }) => Object.values(next)),
      ...Object.values(customerFailures).flatMap(({ text }) => Object.values(text)),
      ...Object.values(apiErrors).flatMap(({ meaning, next }) => [...Object.values(meaning), next]),
      ...Object.values(reviewCauses).flatMap((cause) => Object.values(cause)),
    ];
    expect(sentences.filter((sentence) => !sentence.endsWith('.'))).toEqual([]);
  });

  it('gives each failure code one reason of its own', () => {
    for (const language of ['en', 'sw'] as const) {
      const reasons = Object.values(failures).map(({ reason }) => reason[language]);
      expect(new Set(reasons).size).toBe(reasons.length);
    }
  });

  it('tells a payout’s failure from a collection’s if the code means two things', () => {
    const differs = (Object.keys(failures) as FailureCode[]).filter(
      (code) => failureOf(code, 'payout') !== failureOf(code, 'collection'),
    );
    expect(differs.sort()).toEqual([
      'cancelled',
      'expired',
      'insufficient_funds',
      'not_paid',
      'not_sent',
    ]);
    expect(failureOf('constructor', 'payout')).toBeUndefined();
  });

  it('names the money of each mode', () => {
    expect(modesWithMoney('en')).toEqual({
      live: 'Live: real money',
      demo: 'Demo: no real money',
    });
  });
});

describe('words about a rail', () => {
  const words = {
    title: 'Paid at M-Pesa',
    received: (amount: string) => `M-Pesa paid ${amount}.`,
    steps: { sent: 'Sent to M-Pesa' },
    count: 3,
  };

  it('name the item’s own rail', () => {
    const other = onRail(words, 'airtel');
    expect([other.title, other.received('KES 1.00'), other.steps.sent, other.count]).toEqual([
      'Paid at Airtel Money',
      'Airtel Money paid KES 1.00.',
      'Sent to Airtel Money',
      3,
    ]);
    expect(onRail(words, 'mpesa')).toBe(words);
    expect(failureOf('wrong_pin', 'collection', 'airtel')?.reason.en).toBe(
      'Wrong Airtel Money PIN',
    );
  });
});
