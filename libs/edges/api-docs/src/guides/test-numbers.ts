import { html, type Html, inlineMarkdown } from '#shared/html';
import {
  payoutTestNumbers,
  refundTestNumbers,
  type TestNumber,
  testNumbers,
} from '../document/test-numbers.js';
import { type SitePage } from '../site/page.js';
import { list, part, table } from '../site/parts.js';

const ends: Readonly<Record<TestNumber['ends'], string>> = {
  completed: 'Completed',
  failed: 'Failed',
  pending: 'Pending',
};

export const testNumbersPage: SitePage = {
  address: '/docs/test-numbers',
  title: 'Test numbers',
  description:
    'Phone numbers that decide the outcome of a collection, payout or refund in PesaPost’s demo mode, as test cards do.',
  lead: html`<p>
    In demo mode the phone number decides the outcome, as test cards do. Any number that is not
    listed pays, or is paid.
  </p>`,
  parts: [
    part('Collections', numbers('Numbers for collections', testNumbers), { isWide: true }),
    part('Payouts', numbers('Numbers for payouts', payoutTestNumbers), { isWide: true }),
    part('Refunds', numbers('Numbers that paid', refundTestNumbers), { isWide: true }),
    part(
      'How long it takes',
      list([
        'The simulated customer acts 0.8 s after the prompt.',
        'If a callback is lost, the service queries M-Pesa after 75 s.',
        'Test both: the outcomes that you expect, and the ones in which no answer comes.',
      ]),
    ),
  ],
};

function numbers(caption: string, rows: readonly TestNumber[]): Html {
  return table(
    caption,
    rows.map(({ phone, outcome, ends: end }) => ({
      cells: [
        { label: 'Phone', content: html`<code>${phone}</code>` },
        { label: 'Outcome', content: inlineMarkdown(outcome) },
        { label: 'In the end', content: html`<span class="badge ${end}">${ends[end]}</span>` },
      ],
    })),
  );
}
