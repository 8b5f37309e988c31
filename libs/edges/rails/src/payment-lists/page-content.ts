import { type TakenAnswer } from '../rail-adapter.js';

type Page = Extract<TakenAnswer, { kind: 'page' }>;

/** Returns a text that two pages share only if they have the same content; empty if a page has no entry. */
export function contentOf({ payments, sweeps = [], transfers = 0, unreadable }: Page): string {
  const receipts = [...payments, ...sweeps].map(({ receipt }) => receipt);
  return receipts.length + transfers + unreadable === 0
    ? ''
    : [unreadable, transfers, ...receipts].join(' ');
}

/** True if the page names neither a payment nor a sweep, and has no entry that may be one. */
export function isWithoutMoney({ payments, sweeps = [], unreadable }: Page): boolean {
  return payments.length + sweeps.length + unreadable === 0;
}
