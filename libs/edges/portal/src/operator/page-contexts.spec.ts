import { Clock, DependencyUnavailable } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { expect, it } from '@jest/globals';
import { type Viewer } from '../access/viewer.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '#records/people';
import { PageContexts } from './page-contexts.js';

const database = {
  query: () => Promise.reject(new DependencyUnavailable('postgres', 'away')),
} as unknown as Database;

const clock = new (class extends Clock {
  override nowMs(): number {
    return 0;
  }
})();

it('a page is shown without names if they are unavailable, because its action may have been done', async () => {
  const options = new PortalOptions('https://portal.example', undefined, 'Africa/Nairobi');
  const contexts = new PageContexts(options, new PersonNames(database), database, clock);
  const viewer = { language: 'en' } as Viewer;
  const people = ['https://id.example#amina'];
  expect(await contexts.naming(viewer, { people, merchants: ['m'] })).toMatchObject({
    names: new Map(),
    merchants: new Map(),
  });
});
