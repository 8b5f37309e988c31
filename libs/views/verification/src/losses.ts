import { type AcceptedLosses, type Loss } from '#domain/losses';
import { type Difference, type Differences } from './difference.js';

export type OnLoss = (loss: Loss) => void | Promise<void>;

interface LossOptions {
  readonly accepted?: AcceptedLosses;
  readonly onLoss?: OnLoss;
}

/** Reports missing messages and claims, except for those that are accepted as lost (AUD-32). */
export class Losses {
  constructor(
    private readonly differences: Differences,
    private readonly options: LossOptions,
  ) {}

  /**
   * True if this loss is accepted.
   * @returns a promise only if a list may contain it
   */
  covers({ kind, id, position }: Omit<Loss, 'recordedAt'>): boolean | Promise<boolean> {
    return this.options.accepted?.covers(kind, id, position) ?? false;
  }

  /** Reports a loss that is not accepted. */
  add(loss: Loss, difference: Difference): void | Promise<void> {
    this.differences.add(difference);
    return this.options.onLoss?.(loss);
  }

  /** Reports a difference that is no loss. */
  differ(difference: Difference): void {
    this.differences.add(difference);
  }

  /** Reports lists that are not those that two admins accepted. They cover nothing. */
  compareLists(): void {
    for (const stream of this.options.accepted?.broken ?? [])
      this.differences.add({
        table: 'events',
        field: 'data',
        stream,
        expected: 'the list of losses that two admins accepted',
        found: null,
      });
  }
}
