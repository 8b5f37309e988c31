import { type Minor } from '#domain/kernel';
import { PostedCredits, Reservations } from '#domain/ledger';
import {
  type BatchItem,
  PaidNumbers,
  PayoutAllowances,
  PayoutBatchItems,
  PayoutOrders,
  PayoutPhones,
  PayoutRequestsModule,
  type PayoutTerms,
  PayoutTermsDirectory,
} from '#domain/payouts';
import { UuidIds } from '#infra/runtime';
import { type MemoryLog } from '#testing';
import { type PayoutParts } from './edge.js';

class Credits extends PostedCredits {
  override creditsOf = (): Promise<Minor> => Promise.resolve(1_000_000n);
}

/** Terms by which each payout needs a second holder. */
class TwoHolders extends PayoutTermsDirectory {
  override termsOf = (): Promise<PayoutTerms> =>
    Promise.resolve({
      automaticMaxMinor: 0n,
      automaticPerDayMinor: 0n,
      timezone: 'Africa/Nairobi',
    });
}

class Unbounded extends PayoutAllowances {
  override claim = (): Promise<boolean> => Promise.resolve(true);
  override giveBack = (): Promise<void> => Promise.resolve();
}

class NothingOrdered extends PayoutOrders {
  override givenOf = (): Promise<ReadonlySet<string>> => Promise.resolve(new Set());
}

class NobodyPaid extends PaidNumbers {
  override hasPaid = (): Promise<boolean> => Promise.resolve(false);
}

/** Forgets each number, because nothing is sent here. */
class ForgottenPhones extends PayoutPhones {
  override tracesOf = (phone: string) => ({ phoneHmac: `hmac of ${phone}`, phoneMasked: 'masked' });
  override keep = (): Promise<void> => Promise.resolve();
  override keepAll = (): Promise<void> => Promise.resolve();
  override find = (): Promise<undefined> => Promise.resolve(undefined);
  override forget = (): Promise<void> => Promise.resolve();
  override forgetAll = (): Promise<void> => Promise.resolve();
}

class Items extends PayoutBatchItems {
  readonly #kept = new Map<string, readonly BatchItem[]>();
  override keep(id: string, _stream: string, items: readonly BatchItem[]): Promise<void> {
    this.#kept.set(id, items);
    return Promise.resolve();
  }
  override find = (id: string): Promise<readonly BatchItem[] | undefined> =>
    Promise.resolve(this.#kept.get(id));
  override forget(id: string): Promise<void> {
    this.#kept.delete(id);
    return Promise.resolve();
  }
}

/** The real commands of payouts on this log, for `useEdge`. A wallet has 10,000 shillings. */
export function payoutParts(log: MemoryLog): PayoutParts {
  const reservations = new Reservations(log, new Credits(), new UuidIds());
  return {
    modules: [PayoutRequestsModule],
    providers: [
      { provide: Reservations, useValue: reservations },
      { provide: PayoutTermsDirectory, useValue: new TwoHolders() },
      { provide: PayoutAllowances, useValue: new Unbounded() },
      { provide: PayoutOrders, useValue: new NothingOrdered() },
      { provide: PaidNumbers, useValue: new NobodyPaid() },
      { provide: PayoutPhones, useValue: new ForgottenPhones() },
      { provide: PayoutBatchItems, useValue: new Items() },
    ],
  };
}
