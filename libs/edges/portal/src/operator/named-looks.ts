import { Injectable } from '@nestjs/common';
import { type Viewer } from '../access/viewer.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '../session/ports.js';
import { type Look } from './looks.js';
import { operatorTextsOf } from './texts-of.js';

/** What operators' pages are shown with. */
@Injectable()
export class Looks {
  constructor(
    private readonly options: PortalOptions,
    private readonly names: PersonNames,
  ) {}

  of(viewer: Viewer): Look {
    return { viewer, texts: operatorTextsOf(viewer), zone: this.options.timezone };
  }

  /**
   * With what the people of a page are called.
   * @param ids of people, or what stands in their place; absent where nobody did it
   * @throws DependencyUnavailable
   */
  async naming(viewer: Viewer, ids: readonly (string | undefined)[]): Promise<Look> {
    const people = new Set(ids.filter((id) => id !== undefined));
    return { ...this.of(viewer), names: await this.names.of([...people]) };
  }
}
