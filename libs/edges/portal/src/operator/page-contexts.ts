import { Clock } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { merchantNames } from '#views/merchants';
import { Injectable } from '@nestjs/common';
import { type Viewer } from '../access/viewer.js';
import { ifAvailable } from '../page/if-available.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '#records/people';
import { type PageContext } from './page-context.js';
import { operatorTextsOf } from './texts-of.js';

/** People and merchants who are named on a page, by their ids. */
interface Named {
  /** People, or other texts that name the author; undefined if there is no author. */
  readonly people?: readonly (string | undefined)[];
  readonly merchants: readonly string[];
}

const nobody: ReadonlyMap<string, string> = new Map();

/** Makes the looks of operators' pages. */
@Injectable()
export class PageContexts {
  constructor(
    private readonly options: PortalOptions,
    private readonly names: PersonNames,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  of(viewer: Viewer): PageContext {
    const now = new Date(this.clock.nowMs());
    return { viewer, texts: operatorTextsOf(viewer), zone: this.options.timezone, now };
  }

  /**
   * Adds the names of a page's people and merchants. If the names cannot be read at the moment, the page shows the ids:
   * no page fails for a name, least of all one that shows what was decided.
   */
  async naming(viewer: Viewer, { people = [], merchants }: Named): Promise<PageContext> {
    const ids = [...new Set(people.filter((id) => id !== undefined))];
    const [names = nobody, merchantsCalled = nobody] = await Promise.all([
      ids.length === 0 ? nobody : ifAvailable(this.names.of(ids)),
      ifAvailable(merchantNames(this.database, [...new Set(merchants)])),
    ]);
    return { ...this.of(viewer), names, merchants: merchantsCalled };
  }
}
