import { Database } from '#infra/postgres';
import { merchantNames } from '#views/merchants';
import { Injectable } from '@nestjs/common';
import { type Viewer } from '../access/viewer.js';
import { ifAvailable } from '../page/if-available.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '../session/ports.js';
import { type Look } from './looks.js';
import { operatorTextsOf } from './texts-of.js';

/** Who is named on a page, by their ids. */
interface Named {
  /** Or what stands in a person's place; absent where nobody did it. */
  readonly people?: readonly (string | undefined)[];
  readonly merchants: readonly string[];
}

const nobody: ReadonlyMap<string, string> = new Map();

/** What operators' pages are shown with. */
@Injectable()
export class Looks {
  constructor(
    private readonly options: PortalOptions,
    private readonly names: PersonNames,
    private readonly database: Database,
  ) {}

  of(viewer: Viewer): Look {
    return { viewer, texts: operatorTextsOf(viewer), zone: this.options.timezone };
  }

  /**
   * With what the people and merchants of a page are called. Where that cannot be told for the moment they stand by their
   * ids: no page fails for a name, least of all one that tells what was decided.
   */
  async naming(viewer: Viewer, { people = [], merchants }: Named): Promise<Look> {
    const ids = [...new Set(people.filter((id) => id !== undefined))];
    const [names = nobody, merchantsCalled = nobody] = await Promise.all([
      ids.length === 0 ? nobody : ifAvailable(this.names.of(ids)),
      ifAvailable(merchantNames(this.database, [...new Set(merchants)])),
    ]);
    return { ...this.of(viewer), names, merchants: merchantsCalled };
  }
}
