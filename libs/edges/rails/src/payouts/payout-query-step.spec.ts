import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Clock, type Mode, modes } from '#domain/kernel';
import { type DuePayoutQuery, type PayoutQueries, PayoutQueryStep } from './payout-queries.js';
import { type PayoutRails } from './payout-rails.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});

class Now extends Clock {
  override nowMs = () => 1_000_000;
}

it('leaves to others what this process has no settings to ask about', async () => {
  const due = modes.flatMap((mode) =>
    [false, true].map((isExtra): DuePayoutQuery => {
      const of = { stream: `payout-${mode}:m:1`, mode, channel: 'mpesa' } as const;
      return { ...of, originatorConversationId: 'pp-1', isExtra, asked: 0 };
    }),
  );
  const [leased, asked]: [Mode[], Mode[]] = [[], []];
  const queries = {
    due: () => Promise.resolve(due),
    lease: ({ mode }: DuePayoutQuery) => Promise.resolve(leased.push(mode) > 0),
  } as unknown as PayoutQueries;
  const rails = {
    payoutLimits: (_channel: string, mode: Mode) => (mode === 'demo' ? {} : undefined),
    askAboutAgain: ({ mode }: DuePayoutQuery) => {
      asked.push(mode);
      return Promise.resolve('taken');
    },
  } as unknown as PayoutRails;
  await new PayoutQueryStep(queries, rails, new Now()).step();
  expect([leased, asked]).toEqual([
    ['demo', 'demo'],
    ['demo', 'demo'],
  ]);
});
