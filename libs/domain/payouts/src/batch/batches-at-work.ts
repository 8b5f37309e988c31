import { Overloaded } from '#domain/kernel';
import { type PayoutBatchKey } from './payout-batch.events.js';

/**
 * The limits of batches in progress in a process, in total and for one merchant. They leave room for the appends of all
 * other work.
 */
const usual = { all: 8, ofMerchant: 2 };

/**
 * Limits the batches in progress in a process. A batch is one call for the rate limit, but up to a few thousand calls
 * of the store.
 */
export class BatchesAtWork {
  private readonly byMerchant = new Map<string, number>();

  constructor(
    private readonly max: { readonly all: number; readonly ofMerchant: number } = usual,
  ) {}

  /**
   * Works on a merchant's batch, unless too many are in progress.
   * @param work gets a function to register its work that goes on after the answer
   * @throws Overloaded: nothing was done; or any error of the work
   */
  async admitted<T>(
    { merchantId }: Pick<PayoutBatchKey, 'merchantId'>,
    work: (goesOn: GoesOn) => Promise<T>,
  ): Promise<T> {
    const ofMerchant = this.byMerchant.get(merchantId) ?? 0;
    const all = [...this.byMerchant.values()].reduce((sum, each) => sum + each, 0);
    if (ofMerchant >= this.max.ofMerchant || all >= this.max.all)
      throw new Overloaded('event store', 'too many batches are at work');
    this.byMerchant.set(merchantId, ofMerchant + 1);
    const rest: Promise<unknown>[] = [];
    try {
      return await work((promise) => rest.push(promise));
    } finally {
      void Promise.allSettled(rest).then(() => {
        this.leave(merchantId);
      });
    }
  }

  private leave(merchantId: string): void {
    const left = (this.byMerchant.get(merchantId) ?? 0) - 1;
    if (left > 0) this.byMerchant.set(merchantId, left);
    else this.byMerchant.delete(merchantId);
  }
}

/** Registers work that goes on after the caller's answer. */
export type GoesOn = (rest: Promise<unknown>) => void;
