import { EventStore } from '#domain/event-sourcing';
import { type Instant, type Minor, msFromInstant } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { unmatchedSum } from '#records/rails';
import { positionBefore } from '#views/balances';
import { clearingAsOf } from '#views/settlements';
import { Injectable } from '@nestjs/common';
import { type RailAccount } from '../payouts/rail-floats.js';

/** The ledger's figures for a rail's accounts, as of a time of the rail. */
export interface ClearingFigures {
  readonly ledgerMinor: Minor;
  readonly inFlightMinor: Minor;
  readonly unpostedMinor: Minor;
  readonly position: string;
}

/** The ledger's side of a comparison. */
export abstract class RailLedger {
  /** @throws DependencyUnavailable while the views may lack events that are older than the comparison */
  abstract asOf(
    account: RailAccount & { readonly currency: string },
    asOf: Instant,
  ): Promise<ClearingFigures>;
}

/** A posting may be recorded this much before its time by the rail's clock, which is whole seconds. */
const clocksApartMs = 5 * 60_000;

@Injectable()
export class ProjectedRailLedger extends RailLedger {
  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
  ) {
    super();
  }

  override async asOf(
    account: RailAccount & { readonly currency: string },
    asOf: Instant,
  ): Promise<ClearingFigures> {
    const { database, store } = this;
    const since = new Date(msFromInstant(asOf) - clocksApartMs);
    const after = await positionBefore({ database, store }, since);
    const { position, ...figures } = await clearingAsOf(database, { ...account, asOf, after });
    const unpostedMinor = await unmatchedSum(database, { ...account, until: asOf });
    return { ...figures, unpostedMinor, position: position.toString() };
  }
}
