import { Injectable } from '@nestjs/common';
import { type RailPayment } from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { findStreamsByRailReference } from '#views/transactions';
import { readCheckpoint } from '#views/view-set';
import { ReferenceView } from './reference-view.js';

/** The transactions' view. */
@Injectable()
export class ProjectedReferenceView extends ReferenceView {
  constructor(private readonly database: Database) {
    super();
  }

  override async position(): Promise<Position> {
    return (await readCheckpoint(this.database)).position;
  }

  override streamsWith(payment: RailPayment): Promise<readonly string[]> {
    return findStreamsByRailReference(this.database, payment);
  }
}
