import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Clock, type Minor, type Mode, ok, Timer } from '#domain/kernel';
import { type PayoutKey, payoutStream, type Sending } from '#domain/payouts';
import { type Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { AccountRefusals } from './account-refusals.js';
import { PayoutPace } from './payout-pace.js';
import { type PayoutRails } from './payout-rails.js';
import { PayoutSendStep } from './payout-send-step.js';
import { type PayoutsClient } from './payouts-client.js';

/** A clock that advances when every task waits for it. */
class Time extends Clock {
  ms = 1_000_000;
  readonly #waiting: { readonly untilMs: number; readonly go: () => void }[] = [];
  override nowMs = () => this.ms;
  readonly timer: Timer = {
    sleep: (ms, until) =>
      new Promise((go) => {
        this.#waiting.push({ untilMs: this.ms + ms, go });
        until?.addEventListener('abort', () => {
          go();
        });
      }),
  };
  async until<T>(work: Promise<T>): Promise<T> {
    const ended: T[] = [];
    void work.then((value) => ended.push(value));
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (ended.length > 0) return work;
      const [first] = this.#waiting.sort((a, b) => a.untilMs - b.untilMs);
      if (!first) continue;
      this.#waiting.shift();
      this.ms = first.untilMs;
      first.go();
    }
  }
}

const rates: Record<Mode, number> = { demo: 20, live: 2 };
const startedAtMs = 1_000_000;

let time: Time;
let step: PayoutSendStep;
/** The payouts that the view lists, sent or not. */
let approved: {
  readonly stream: string;
  readonly mode: Mode;
  readonly position: bigint;
  /** The amount of float that it waits for. */
  readonly waitingMinor?: Minor;
}[];
let float: Minor | undefined;
/** True if the rail can be reached; `asked` counts how often that was asked. */
let isThere: boolean;
let asked: number;
/** The number of orders in a row that the rail has left unanswered or refused. */
let inVain: number;
/** The number of orders that it was given. */
let given: number;
let refusals: AccountRefusals;
let sent: { readonly stream: string; readonly afterMs: number }[];
let becomes: (key: PayoutKey) => Sending;

function approve(mode: Mode, count: number, waiting: { waitingMinor?: Minor } = {}): void {
  for (let at = 0; at < count; at += 1) {
    const position = BigInt(approved.length + 1);
    const stream = payoutStream({ mode, merchantId: 'm1', reference: `p-${position}` });
    approved.push({ stream, mode, position, ...waiting });
  }
}
const sentOf = (mode: Mode) => sent.filter(({ stream }) => stream.startsWith(`payout-${mode}:`));

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  [time, approved, sent, becomes, float] = [new Time(), [], [], () => 'sent', undefined];
  [isThere, asked, inVain, given] = [true, 0, 0, 0];
  let kept: string | null = null;
  refusals = new AccountRefusals({
    get: () => Promise.resolve(kept),
    set: (_key, value) => Promise.resolve(void (kept = value)),
    add: (_key, by) => Promise.resolve(void (kept = `${BigInt(kept ?? 0) + by}`)),
  });
  const rails = {
    accounts: [
      { channel: 'mpesa', mode: 'demo' },
      { channel: 'mpesa', mode: 'live' },
    ],
    perSecond: (_channel: string, mode: Mode) => rates[mode],
    floatOf: () => Promise.resolve(float),
    inVain: () => inVain,
    given: () => given,
    canPay: () => {
      asked += 1;
      return Promise.resolve(isThere);
    },
  } as unknown as PayoutRails;
  const database = {
    query: (
      _statement: unknown,
      [mode, , after, limit, floatMinor]: [Mode, string, bigint, number, Minor | null],
    ) => {
      const due = approved.filter(
        ({ waitingMinor = 0n, ...row }) =>
          row.mode === mode && row.position > after && waitingMinor <= (floatMinor ?? 0n),
      );
      return Promise.resolve(due.slice(0, limit).map((row) => ({ ...row, channel: 'mpesa' })));
    },
  } as unknown as Database;
  const client = {
    send: (key: PayoutKey) => {
      sent.push({ stream: payoutStream(key), afterMs: time.ms - startedAtMs });
      const outcome = becomes(key);
      if (outcome === 'sent') given += 1;
      return Promise.resolve(ok(outcome));
    },
  } as unknown as PayoutsClient;
  const pace = new PayoutPace(rails, time, time.timer, refusals);
  step = new PayoutSendStep(database, client, pace, new Metrics());
});

it('sends each rail’s mode its number of payouts a second, evenly spaced and the oldest first', async () => {
  approve('live', 3);
  approve('demo', 30);
  expect(await time.until(step.step())).toBe('busy');
  expect(sentOf('demo').map(({ afterMs }) => afterMs)).toEqual(
    Array.from({ length: 20 }, (_, at) => at * 50),
  );
  expect(sentOf('live').map(({ afterMs }) => afterMs)).toEqual([0, 500]);
  await time.until(step.step());
  expect(sentOf('demo').map(({ stream }) => stream)).toEqual(
    approved.filter(({ mode }) => mode === 'demo').map(({ stream }) => stream),
  );
  expect(sentOf('demo').at(-1)?.afterMs).toBeGreaterThanOrEqual(29 * 50);
});

it('sends a fast rail all payouts due within 50 ms together, and none before it is due', async () => {
  rates.demo = 100;
  approve('demo', 21);
  await time.until(step.step());
  rates.demo = 20;
  const at = (ms: number) => sent.filter(({ afterMs }) => afterMs === ms).length;
  expect([0, 50, 100, 150, 200].map(at)).toEqual([1, 5, 5, 5, 5]);
});

it('continues at once after a pause, or if the clock was set back', async () => {
  approve('demo', 2);
  await time.until(step.step());
  time.ms += 60_000;
  approve('demo', 1);
  await time.until(step.step());
  time.ms -= 3_600_000;
  approve('demo', 1);
  await time.until(step.step());
  expect(sent.map(({ afterMs }) => afterMs)).toEqual([0, 50, 60_050, 60_050 - 3_600_000]);
});

it('is idle if the view lists only payouts that were already sent', async () => {
  approve('demo', 20);
  const steps = [];
  for (let at = 0; at < 4; at += 1) steps.push(await time.until(step.step()));
  expect(steps).toEqual(['busy', 'idle', 'idle', 'idle']);
  expect(sent).toHaveLength(20);
});

it('skips what it has sent, though the view still lists it, and tries everything else again', async () => {
  approve('demo', 3);
  const outcomes: Record<string, Sending> = { 'p-1': 'sent', 'p-2': 'unchanged', 'p-3': 'held' };
  becomes = ({ reference }) => outcomes[reference] ?? 'sent';
  await time.until(step.step());
  await time.until(step.step());
  expect(sent.map(({ stream }) => stream.slice(-3))).toEqual(['p-1', 'p-2', 'p-3', 'p-2', 'p-3']);
});

it('sends what the float covers at once, however many wait for it', async () => {
  float = 999n;
  approve('demo', 40, { waitingMinor: 1000n });
  approve('demo', 1);
  becomes = ({ reference }) => (reference === 'p-41' || float === 1000n ? 'sent' : 'held');
  await time.until(step.step());
  expect(sent).toEqual([{ stream: approved.at(-1)?.stream, afterMs: 0 }]);
  float = 1000n;
  await time.until(step.step());
  expect(sent).toHaveLength(1 + 20);
});

it('starts nothing once its process stops; the payouts that it skipped go first in the next process', async () => {
  approve('demo', 30);
  const stop = new AbortController();
  becomes = () => {
    if (sent.length === 3) stop.abort();
    return 'sent';
  };
  await time.until(step.step('demo', stop.signal));
  expect(sent.map(({ stream }) => stream)).toEqual(
    approved.slice(0, 3).map(({ stream }) => stream),
  );
  becomes = () => 'sent';
  while (sent.length < 30) await time.until(step.step('demo'));
  expect(sent.map(({ stream }) => stream)).toEqual(approved.map(({ stream }) => stream));
});

it('starts nothing while the rail cannot be reached, and checks for it every five seconds', async () => {
  isThere = false;
  approve('demo', 30);
  for (let at = 0; at < 3; at += 1) expect(await time.until(step.step('demo'))).toBe('idle');
  expect([sent, asked]).toEqual([[], 1]);
  isThere = true;
  time.ms += 5000;
  while (sent.length < 30) await time.until(step.step('demo'));
  // The oldest first: a payout that arrives while the rail is away does not go before those that wait.
  expect(sent.map(({ stream }) => stream)).toEqual(approved.map(({ stream }) => stream));
});

it('tries a rail that takes no orders with one sendable payout every ten seconds', async () => {
  approve('demo', 30);
  becomes = ({ reference }) => {
    if (reference === 'p-1') return 'held';
    inVain += 1;
    return 'sent';
  };
  inVain = 8;
  const sentIn = async (waitMs: number) => {
    time.ms += waitMs;
    sent = [];
    await time.until(step.step('demo'));
    return sent.map(({ stream }) => stream.slice('payout-demo:m1:'.length));
  };
  expect(await sentIn(0)).toEqual([]);
  expect(await sentIn(10_000)).toEqual(['p-1', 'p-2']);
  expect(await sentIn(5000)).toEqual([]);
  expect(await sentIn(5000)).toEqual(['p-1', 'p-3']);
  becomes = () => 'sent';
  inVain = 0;
  expect(await sentIn(0)).toHaveLength(18);
});

it('tries a rail whose results refuse the account with one payout every ten seconds, until one succeeds', async () => {
  const account = { channel: 'mpesa', mode: 'demo' } as const;
  const unauthorized = { kind: 'declined', failureCode: 'rail_unauthorized' } as const;
  approve('demo', 200);
  const sentIn = async (waitMs: number) => {
    time.ms += waitMs;
    // The view has caught up.
    approved = approved.filter(({ stream }) => sent.every((order) => order.stream !== stream));
    sent = [];
    await time.until(step.step('demo'));
    return sent.length;
  };
  expect(await sentIn(0)).toBe(20);
  // The rail takes each order, and its results say that it refuses them.
  for (let at = 0; at < 3; at += 1) await refusals.record(account, unauthorized);
  expect(await sentIn(1000)).toBe(0);
  expect(await sentIn(5000)).toBe(0);
  expect(await sentIn(5000)).toBe(1);
  // No other order goes out either while the outcome of that one is unknown.
  expect([await sentIn(0), await sentIn(5000)]).toEqual([0, 0]);
  await refusals.record(account, unauthorized);
  expect(await sentIn(5000)).toBe(1);
  await refusals.record(account, { kind: 'paid', resultCode: '0' });
  expect(await sentIn(1000)).toBe(20);
});
