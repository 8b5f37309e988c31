import { Injectable } from '@nestjs/common';
import { Database } from '#postgres';
import { silentCollections } from '#read-models';
import { RailWorkOptions } from '../rail-work-options.js';
import { SilentCollections } from './silent-collections.js';

/** The view of pending collections. */
@Injectable()
export class ProjectedSilentCollections extends SilentCollections {
  constructor(
    private readonly database: Database,
    private readonly options: RailWorkOptions,
  ) {
    super();
  }

  override overdue(most: number): Promise<readonly string[]> {
    return silentCollections(this.database, this.options.reviewAfterMs, most);
  }
}
