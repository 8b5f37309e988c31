import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Mode, ok, refuse } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { PaymentListRails } from './payment-list-rails.js';
import { TakenHours, TakenHoursStep } from './taken-hours.js';
import {
  type ComparedRange,
  TakenWindow,
  type TimeRange,
  type WindowRefusal,
} from './taken-window.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});

const hour: TimeRange = { fromMs: 0, untilMs: 3_600_000 };
const told: ComparedRange = {
  payments: 1,
  unreadable: 0,
  unmatched: [],
  untoldDays: [],
  toldUntilMs: hour.untilMs,
};
const untold: ComparedRange = {
  ...told,
  payments: 0,
  untoldDays: ['1970-01-01'],
  toldUntilMs: hour.fromMs,
};

class Hours extends TakenHours {
  readonly done: TimeRange['untilMs'][] = [];
  override due = () => Promise.resolve(this.isDue ? hour : undefined);
  override asked = (_rail: object, { untilMs }: Pick<TimeRange, 'untilMs'>) => {
    this.done.push(untilMs);
    return Promise.resolve();
  };
  constructor(private readonly isDue = true) {
    super();
  }
}

function stepOver(hours: Hours, found: ComparedRange | WindowRefusal = told) {
  const rails = new PaymentListRails([
    {
      channel: 'mpesa',
      paymentLists: {
        timezone: 'Africa/Nairobi',
        lookBackMs: (mode: Mode) => (mode === 'demo' ? 1 : undefined),
        ask: () => Promise.reject(new TypeError('the window asks')),
      },
    },
  ]);
  const asked: object[] = [];
  class Window extends TakenWindow {
    override compareRail(_rail: object, range: object) {
      asked.push(range);
      return Promise.resolve(typeof found === 'string' ? refuse(found) : ok(found));
    }
  }
  const window = new Window(rails, undefined as never, undefined as never, undefined as never);
  return { step: new TakenHoursStep(rails, hours, window, new Metrics()), asked };
}

describe('the hourly question to a rail', () => {
  it('is asked when it is due, and recorded once it is answered', async () => {
    const hours = new Hours();
    const { step, asked } = stepOver(hours);
    expect(await step.step('demo')).toBe('idle');
    expect(asked).toEqual([hour]);
    expect(hours.done).toEqual([hour.untilMs]);
  });

  it('is asked again later about a time of which the rail named no payment', async () => {
    const hours = new Hours();
    await stepOver(hours, untold).step.step('demo');
    expect(hours.done).toEqual([hour.fromMs]);
  });

  it.each(['not_answered', 'forgotten'] as const)('is not recorded if it is %s', async (why) => {
    const hours = new Hours();
    await stepOver(hours, why).step.step('demo');
    expect(hours.done).toEqual([]);
  });

  it('is asked of no rail that cannot list its payments, nor before it is due', async () => {
    const [live, early] = [stepOver(new Hours()), stepOver(new Hours(false))];
    await live.step.step('live');
    await early.step.step('demo');
    expect([live.asked, early.asked]).toEqual([[], []]);
  });
});
