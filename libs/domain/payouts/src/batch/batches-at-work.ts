import { Overloaded } from '#domain/kernel';
import { type PayoutBatchKey } from './payout-batch.events.js';

/** Batches at work in a process, and of them one merchant's: what they append together leaves room for everybody else. */
const usual = { all: 8, ofMerchant: 2 };

/** How many batches a process works on. A batch is one call to the rate limit, and up to some thousand to the store. */
export class BatchesAtWork {
  private readonly byMerchant = new Map<string, number>();

  constructor(
    private readonly max: { readonly all: number; readonly ofMerchant: number } = usual,
  ) {}

  /**
   * Does work on a merchant's batch, unless as much is at work as may be.
   * @param work is told to say what of it goes on when its caller has been answered
   * @throws Overloaded: nothing was done; whatever the work throws
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

/** Says what goes on when the caller has been answered. */
export type GoesOn = (rest: Promise<unknown>) => void;
