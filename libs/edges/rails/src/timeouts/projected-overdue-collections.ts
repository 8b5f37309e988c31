import { Injectable } from '@nestjs/common';
import { Database } from '#infra/postgres';
import { type AskableRail, type OverdueCollection, overdueCollections } from '#views/rail-queries';
import { RailWorkOptions } from '../rail-work-options.js';
import { OverdueCollections } from './overdue-collections.js';

/** The view of pending collections. */
@Injectable()
export class ProjectedOverdueCollections extends OverdueCollections {
  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override overdue(
    askable: readonly AskableRail[],
    max: number,
  ): Promise<readonly OverdueCollection[]> {
    const afterMs = this.options.reviewAfterMs;
    return overdueCollections(this.database, { afterMs, max, askable });
  }
}
