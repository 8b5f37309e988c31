import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Clock, type Mode, modes, Timer } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { type CallbackKeys } from '../callback/callback-keys.js';
import { type Inbox } from '../inbox/inbox.js';
import { QueryThrottle } from '../query/query-throttle.js';
import { type Asked, type RailCallbacks, RailTable } from '../rail-adapter.js';
import { Backoff, RailWorkOptions } from '../rail-work-options.js';
import { type DuePayoutQuery, type PayoutQueries } from './payout-queries.js';
import { PayoutQueryStep } from './payout-query-step.js';
import { PayoutQuestions } from './payout-questions.js';
import { type PayoutRails } from './payout-rails.js';
import { type RailAccount } from './rail-floats.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});

class Now extends Clock {
  ms = 1_000_000;
  override nowMs = () => this.ms;
}
class NoTimer extends Timer {
  override sleep = () => Promise.resolve();
}

/** The longest duration of each pause in a row. */
const longestMs = [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000];

function throttleOf(clock: Clock): QueryThrottle {
  const options = new RailWorkOptions({
    queryDelaysMs: [],
    pushTimeoutMs: 1,
    reviewAfterMs: 1,
    random: () => 0.999_999,
  });
  const rails = new RailTable([{ channel: 'mpesa' } as RailCallbacks]);
  return new QueryThrottle(clock, new Backoff(new NoTimer(), options), rails, new Metrics());
}

/** The payouts of the rails that are asked about, in their order. */
const dueOf = (all: readonly DuePayoutQuery[]) => (rails: readonly RailAccount[], max: number) => {
  const isAsked = ({ channel, mode }: RailAccount) =>
    rails.some((rail) => rail.channel === channel && rail.mode === mode);
  return Promise.resolve(all.filter(isAsked).slice(0, max));
};

/** No rail here answers at once. */
const questionsOf = (rails: PayoutRails) =>
  new PayoutQuestions(rails, {} as Inbox, {} as CallbackKeys);

it('leaves to others what this process has no settings to ask about', async () => {
  const due = modes.flatMap((mode) =>
    [false, true].map((isExtra): DuePayoutQuery => {
      const of = { stream: `payout-${mode}:m:1`, mode, channel: 'mpesa' } as const;
      return { ...of, originatorConversationId: 'pp-1', isExtra, asked: 0 };
    }),
  );
  const [leased, asked]: [Mode[], Mode[]] = [[], []];
  const queries = {
    due: dueOf(due),
    lease: ({ mode }: DuePayoutQuery) => Promise.resolve(leased.push(mode) > 0),
  } as unknown as PayoutQueries;
  const rails = {
    accounts: [{ channel: 'mpesa', mode: 'demo' }],
    askAboutAgain: ({ mode }: DuePayoutQuery) => {
      asked.push(mode);
      return Promise.resolve('taken');
    },
  } as unknown as PayoutRails;
  const now = new Now();
  await new PayoutQueryStep(queries, questionsOf(rails), now, throttleOf(now)).step();
  expect([leased, asked]).toEqual([
    ['demo', 'demo'],
    ['demo', 'demo'],
  ]);
});

it('asks nothing of a mode for a while that grows after the rail did not take a question, then one, then all', async () => {
  const due = modes.flatMap((mode) =>
    Array.from({ length: 20 }, (_, at): DuePayoutQuery => {
      const of = { stream: `payout-${mode}:m:${at}`, mode, channel: 'mpesa' } as const;
      return { ...of, originatorConversationId: 'pp-1', isExtra: at > 9, asked: 0 };
    }),
  );
  const [leased, givenBack, asked]: [string[], string[], Mode[]] = [[], [], []];
  let demoIs: Asked = 'not_asked';
  const queries = {
    due: dueOf(due),
    lease: ({ stream }: DuePayoutQuery) => Promise.resolve(leased.push(stream) > 0),
    giveBack: ({ stream }: DuePayoutQuery) => Promise.resolve(void givenBack.push(stream)),
  } as unknown as PayoutQueries;
  const rails = {
    accounts: modes.map((mode) => ({ channel: 'mpesa', mode })),
    askAboutAgain: ({ mode }: DuePayoutQuery) => {
      asked.push(mode);
      return Promise.resolve(mode === 'demo' ? demoIs : 'taken');
    },
  } as unknown as PayoutRails;
  const now = new Now();
  const throttle = throttleOf(now);
  const step = new PayoutQueryStep(queries, questionsOf(rails), now, throttle);
  const askedIn = async (waitMs: number) => {
    now.ms += waitMs;
    asked.length = 0;
    await step.step();
    return modes.map((mode) => asked.filter((each) => each === mode).length);
  };
  // All live payouts are asked about. In demo mode, only the questions that were in flight together are asked.
  const [live, demo] = [modes.indexOf('live'), modes.indexOf('demo')];
  const first = await askedIn(0);
  expect(first[demo]).toBeLessThanOrEqual(8);
  expect(first[live]).toBeGreaterThanOrEqual(10);
  for (const ms of longestMs) {
    expect((await askedIn(ms - 5))[demo]).toBe(0);
    expect((await askedIn(5))[demo]).toBe(1);
  }
  // Each question that was leased in vain was given back, so no question that was not asked delays the next.
  expect(givenBack).toEqual(leased.filter((stream) => stream.includes('demo')));
  demoIs = 'taken';
  expect((await askedIn(60_000))[demo]).toBeGreaterThan(1);
  expect((await askedIn(0))[demo]).toBeGreaterThanOrEqual(10);
  // Questions about collections are not affected.
  expect(throttle.mayAsk({ channel: 'mpesa', mode: 'demo' })).toBe(true);
});

it('asks about another rail’s payouts however many are due at a rail that takes no questions', async () => {
  const due = ['airtel', 'mpesa'].flatMap((channel) =>
    Array.from({ length: 100 }, (_, at): DuePayoutQuery => {
      const of = { stream: `payout-demo:${channel}:${at}`, mode: 'demo', channel } as const;
      return { ...of, originatorConversationId: 'pp-1', isExtra: false, asked: 0 };
    }),
  );
  const asked: string[] = [];
  const queries = {
    due: dueOf(due),
    lease: () => Promise.resolve(true),
    giveBack: () => Promise.resolve(),
  } as unknown as PayoutQueries;
  const rails = {
    accounts: ['airtel', 'mpesa'].map((channel) => ({ channel, mode: 'demo' })),
    askAboutAgain: ({ channel }: DuePayoutQuery) => {
      asked.push(channel);
      return Promise.resolve(channel === 'airtel' ? 'not_asked' : 'taken');
    },
  } as unknown as PayoutRails;
  const now = new Now();
  const step = new PayoutQueryStep(queries, questionsOf(rails), now, throttleOf(now));
  // The first questions to Airtel begin its pause.
  await step.step('demo');
  asked.length = 0;
  expect(await step.step('demo')).toBe('busy');
  expect(new Set(asked)).toEqual(new Set(['mpesa']));
  expect(asked).toHaveLength(64);
});
