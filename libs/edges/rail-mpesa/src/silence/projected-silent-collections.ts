import { Injectable } from '@nestjs/common';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type SilentCollection, silentCollections } from '#views/read-models';
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

  override overdue(askable: readonly Mode[], most: number): Promise<readonly SilentCollection[]> {
    const afterMs = this.options.reviewAfterMs;
    return silentCollections(this.database, { afterMs, most, askable });
  }
}
