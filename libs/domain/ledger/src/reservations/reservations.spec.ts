import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decideRelease,
  decideReserve,
  reservationsStream,
  type ReservationEvent,
  reservedWalletOf,
  standingReservation,
} from '../index.js';

const source = fc.constantFrom('payout-demo:m:1', 'payout-demo:m:2', 'correction-demo:3');
const amount = fc.bigInt({ min: 1n, max: 1000n });

describe('reservations', () => {
  it('never take more than C − R, and the running total is what is still reserved', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(source, amount, fc.boolean()), { maxLength: 30 }),
        fc.bigInt({ min: 0n, max: 3000n }),
        (demands, creditsMinor) => {
          const events: ReservationEvent[] = [];
          const total = (): bigint => events.at(-1)?.data.totalMinor ?? 0n;
          for (const [of, amountMinor, isReserve] of demands) {
            const standing = standingReservation(events, of);
            if (isReserve && !standing) {
              const demand = { source: of, amountMinor, mayOverdraw: false };
              const decided = decideReserve(demand, { creditsMinor, reservedMinor: total() });
              expect(decided.ok).toBe(amountMinor <= creditsMinor - total());
              if (decided.ok) events.push(decided.value);
            } else if (!isReserve && standing) events.push(decideRelease(standing, total()));
          }
          const left = ['payout-demo:m:1', 'payout-demo:m:2', 'correction-demo:3']
            .map((each) => standingReservation(events, each)?.data.amountMinor ?? 0n)
            .reduce((sum, each) => sum + each, 0n);
          expect(total()).toBe(left);
          expect(total()).toBeLessThanOrEqual(creditsMinor);
        },
      ),
    );
  });

  it('reserve a fact even if it exceeds what is available', () => {
    const demand = { source: 's', amountMinor: 10n, mayOverdraw: true };
    expect(decideReserve(demand, { creditsMinor: 3n, reservedMinor: 3n })).toMatchObject({
      ok: true,
      value: { data: { totalMinor: 13n } },
    });
  });

  it('are in a stream whose name identifies their wallet', () => {
    const wallet = { mode: 'live', merchantId: 'm-1', accountNo: '1001', currency: 'KES' } as const;
    expect(reservationsStream(wallet)).toBe('reservations-live:m-1:1001:KES');
    expect(reservedWalletOf(reservationsStream(wallet))).toEqual(wallet);
    expect(reservedWalletOf('reservations-live:m-1:1001')).toBeUndefined();
  });
});
