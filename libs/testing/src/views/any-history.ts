import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { correctionStream } from '#domain/corrections';
import { reservationsStream, settlementLegs } from '#domain/ledger';
import { settlementStream } from '#domain/settlements';
import { instantFromMs } from '#domain/kernel';
import { type History } from './history.js';
import { type PayoutStep } from './payout-steps.js';

const actions = ['accept', 'pay', 'decline', 'suspend', 'flag'] as const;
const open = ['request', 'approve', 'wait for float', 'start'] as const;
const paths: readonly PayoutStep[][] = [
  ['request', 'reject'],
  ['request', 'cancel'],
  ['request', 'approve', 'wait for float', 'cancel'],
  ['request', 'approve', 'wait for float', 'expire'],
  ['request', 'approve', 'expire', 'approve', 'start', 'pay'],
  ['request', 'approve', 'expire', 'reject'],
  ...open.map((_step, index) => open.slice(0, index + 1)),
  [...open, 'be refused'],
  [...open, 'be refused', 'pay late'],
  [...open, 'decline'],
  [...open, 'flag', 'decline', 'pay late'],
  [...open, 'flag', 'pay'],
];
const step = fc.tuple(fc.nat(5), fc.constantFrom(...actions, 'intend' as const));

/** The steps of a history: of collections, one after the other, of payouts, and of sweeps to the bank. */
export const anyHistory = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  payouts: fc.array(fc.constantFrom(...paths), { maxLength: 3 }),
  sweeps: fc.array(fc.bigInt(1n, 10n ** 12n), { maxLength: 2 }),
});

type Drawn = typeof anyHistory extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs the steps. */
export async function happen(history: History, { steps, payouts, sweeps }: Drawn): Promise<void> {
  const streams = [await history.intend('first')];
  for (const [number, action] of steps) {
    if (action === 'intend') streams.push(await history.intend(`R${streams.length}`, 'm-2'));
    else history[action](streams[number % streams.length] ?? '');
  }
  for (const [number, amountMinor] of sweeps.entries()) sweep(history, number, amountMinor);
  for (const [number, path] of payouts.entries()) history.payOut(`P${number}`, ...path);
  if (payouts.length === 0) return;
  for (const url of ['https://duka.example', 'https://duka.example/2'])
    history.append('merchant-m-1', {
      type: 'WebhookEndpointSet',
      data: { mode: 'demo', kind: 'v4', url, enabled: true },
    });
  history.boundPayouts();
  history.payOutBatch('B', ...(payouts[0]?.slice(1) ?? []));
}

const wallet = { mode: 'demo', merchantId: 'm-1', accountNo: '1001', currency: 'KES' } as const;

/** A sweep to the bank. The time of every second one is not known. */
function sweep(history: History, number: number, amountMinor: bigint): void {
  const place = { channel: 'mpesa', mode: 'demo', receipt: `SWEEP0000${number}` } as const;
  const legs = settlementLegs({ rail: place.channel, amountMinor });
  const paidAt = number % 2 === 0 ? { paidAt: instantFromMs(Date.UTC(2026, 10, 20)) } : {};
  history.append(settlementStream(place), {
    type: 'BankSettlementPosted',
    data: { ...place, currency: 'KES', amountMinor, legs, ...paidAt, by: 'list' },
  });
}

/** A correction, posted or waiting, with its reservation. */
export function correct(history: History, reserved: { totalMinor: bigint }): void {
  const source = correctionStream({ mode: 'demo', id: randomUUID() });
  const { merchantId, mode, currency } = wallet;
  const amountMinor = 10n;
  reserved.totalMinor += amountMinor;
  const legs = [
    { account: 'wallet:1001', amountMinor: -amountMinor },
    { account: 'fees', amountMinor },
  ] as const;
  const data = { merchantId, mode, currency, legs, why: 'paid twice', proposedBy: 'asha' };
  history.append(source, { type: 'CorrectionProposed', data });
  history.append(reservationsStream(wallet), {
    type: 'FundsReserved',
    data: { source, amountMinor, totalMinor: reserved.totalMinor },
  });
  if (reserved.totalMinor % 20n === 0n)
    history.append(source, { type: 'CorrectionPosted', data: { ...data, confirmedBy: 'joe' } });
  if (reserved.totalMinor % 30n !== 10n) return;
  const ended = correctionStream({ mode: 'demo', id: randomUUID() });
  history.append(ended, { type: 'CorrectionProposed', data });
  history.append(ended, {
    type: 'CorrectionEnded',
    data: { merchantId, mode, outcome: 'expired' },
  });
}
