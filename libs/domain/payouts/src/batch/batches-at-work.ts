import { Overloaded } from '#domain/kernel';

/**
 * The limits of batches in progress in a process, in total and for one owner. They leave room for the appends of all
 * other work.
 */
const usual = { all: 8, ofOne: 2 };

/**
 * Limits the batches in progress in a process. A batch is one call for the rate limit, but up to a few thousand calls
 * of the store.
 */
export class BatchesAtWork {
  private readonly byOwner = new Map<string, number>();

  constructor(private readonly max: { readonly all: number; readonly ofOne: number } = usual) {}

  /**
   * Works on an owner's batch, unless too many are in progress.
   * @param owner whose calls together take `ofOne` places, such as a merchant
   * @param work gets a function to register its work that goes on after the answer
   * @throws Overloaded: nothing was done; or any error of the work
   */
  async admitted<T>(owner: string, work: (goesOn: GoesOn) => Promise<T>): Promise<T> {
    const ofOne = this.byOwner.get(owner) ?? 0;
    const all = [...this.byOwner.values()].reduce((sum, each) => sum + each, 0);
    if (ofOne >= this.max.ofOne || all >= this.max.all)
      throw new Overloaded('event store', 'too many batches are at work');
    this.byOwner.set(owner, ofOne + 1);
    const rest: Promise<unknown>[] = [];
    try {
      return await work((promise) => rest.push(promise));
    } finally {
      void Promise.allSettled(rest).then(() => {
        this.leave(owner);
      });
    }
  }

  private leave(owner: string): void {
    const left = (this.byOwner.get(owner) ?? 0) - 1;
    if (left > 0) this.byOwner.set(owner, left);
    else this.byOwner.delete(owner);
  }
}

/** Registers work that goes on after the caller's answer. */
export type GoesOn = (rest: Promise<unknown>) => void;
