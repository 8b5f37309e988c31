import { Injectable } from '@nestjs/common';
import { type Position } from '#event-sourcing';
import { type Mode } from '#kernel';
import { Database } from '#postgres';
import { findStreamsByRailReference, readCheckpoint } from '#read-models';
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

  override streamsWith(mode: Mode, railReference: string): Promise<readonly string[]> {
    return findStreamsByRailReference(this.database, mode, railReference);
  }
}
