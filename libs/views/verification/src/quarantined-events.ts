import { type EventPlace } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { partitionOf, type Quarantine, quarantines } from '#views/view-set';

/** The quarantines when the views were compared: no view contains their later events, which is correct. */
export class QuarantinedEvents {
  private constructor(readonly quarantines: readonly Quarantine[]) {}

  static async read(database: Queryable): Promise<QuarantinedEvents> {
    return new QuarantinedEvents(await quarantines(database));
  }

  /** True if each of these quarantines is still at the same event: none of its events was applied meanwhile. */
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
