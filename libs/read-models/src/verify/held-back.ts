import { type EventPlace } from '#event-sourcing';
import { type Queryable } from '#postgres';
import { partitionOf } from '../quarantine/partition.js';
import { type Quarantine, quarantines } from '../quarantine/quarantines.js';

/** What stood still as the views were compared: its later events are in no view, and rightly so. */
export class HeldBackEvents {
  count = 0;

  private constructor(readonly quarantines: readonly Quarantine[]) {}

  static async read(database: Queryable): Promise<HeldBackEvents> {
    return new HeldBackEvents(await quarantines(database));
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
