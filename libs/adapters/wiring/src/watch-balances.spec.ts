import { instantFromMs } from '#domain/kernel';
import {
  type BalanceFigures,
  compareBalance,
  type RailBalanceEvent,
  railBalanceStream,
} from '#domain/settlements';
import { Metrics } from '#infra/runtime';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import { watchBalances } from './watch-balances.js';

const account = { channel: 'mpesa', mode: 'live' } as const;
const rails = { all: () => [account] };
const hourMs = 3_600_000;

const comparison = (heldMinor: bigint, before?: RailBalanceEvent): RailBalanceEvent => {
  const figures: BalanceFigures = {
    ...account,
    currency: 'KES',
    asOf: instantFromMs(0),
    accounts: [
      { shortCode: '600100', name: 'Working Account', amountMinor: heldMinor, isHeld: true },
    ],
    ledgerMinor: 0n,
    unpostedMinor: 0n,
    inFlightMinor: 0n,
    position: '1',
  };
  return compareBalance(figures, before);
};
const opening = comparison(0n);
const accepted: RailBalanceEvent = {
  type: 'RailBalanceAccepted',
  data: { ...account, currency: 'KES', cause: 'charges', amountMinor: -5n, openingMinor: -5n },
};

/** The metrics after these events, which were recorded at that time. */
async function metricsAfter(events: readonly RailBalanceEvent[], atMs: number): Promise<string> {
  const log = new HandMadeLog(atMs);
  for (const event of events) log.append<RailBalanceEvent>(railBalanceStream(account), event);
  const metrics = new Metrics();
  watchBalances(new ReadOnlyLog(log), metrics, rails);
  return metrics.registry.metrics();
}
const differenceIn = (text: string) =>
  /^pesapost_rail_balance_difference_minor\{.*\} (\S+)$/m.exec(text)?.[1];

describe('the metrics of the rail’s balance', () => {
  it.each([
    ['before the first comparison', [], 'Nan'],
    ['after the first comparison', [opening], '0'],
    ['after a comparison that differs', [opening, comparison(-5n, opening)], '-5'],
    ['after it was accepted', [opening, comparison(-5n, opening), accepted], '0'],
  ] as const)('have the difference %s', async (_what, events, expected) => {
    expect(differenceIn(await metricsAfter(events, hourMs))).toBe(expected);
  });

  it('raise an alert if it differs for hours, or is not compared for two days (BAL-7)', async () => {
    const differs = [opening, comparison(-5n, opening)];
    expect(await alertsFiredBy(await metricsAfter(differs, hourMs))).toEqual([
      'RailBalanceDiffers',
    ]);
    expect(await alertsFiredBy(await metricsAfter([opening], -48 * hourMs))).toEqual([
      'RailBalanceNotCompared',
    ]);
    expect(await alertsFiredBy(await metricsAfter([opening], hourMs))).toEqual([]);
    expect(await alertsFiredBy(await metricsAfter([], hourMs))).toEqual([]);
  });
});
