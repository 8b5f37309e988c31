import { type EventPlace } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { partitionOf, type Quarantine, quarantines } from '#views/view-set';

/** What stood still as the views were compared: its later events are in no view, and rightly so. */
export class QuarantinedEvents {
  private constructor(readonly quarantines: readonly Quarantine[]) {}

  static async read(database: Queryable): Promise<QuarantinedEvents> {
    return new QuarantinedEvents(await quarantines(database));
  }

  /** Whether what stood still then stands there still: nothing of it was applied meanwhile. */
  isUnmovedIn(later: QuarantinedEvents): boolean {
    return this.quarantines.every((of) =>
      later.quarantines.some(
        ({ merchantId, scope, appliedTo }) =>
          merchantId === of.merchantId && scope === of.scope && appliedTo === of.appliedTo,
      ),
    );
  }

  holds(event: Pick<EventPlace, 'stream' | 'position'> & { readonly data?: object }): boolean {
    if (this.quarantines.length === 0) return false;
    const partition = partitionOf(event);
    return this.quarantines.some(
      ({ merchantId, scope, appliedTo }) =>
        partition?.merchantId === merchantId &&
        partition.scope === scope &&
        event.position > appliedTo,
    );
  }
}
