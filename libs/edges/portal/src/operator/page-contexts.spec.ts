import { DependencyUnavailable } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { expect, it } from '@jest/globals';
import { type Viewer } from '../access/viewer.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '../session/ports.js';
import { PageContexts } from './page-contexts.js';

const away = () => Promise.reject(new DependencyUnavailable('postgres', 'away'));

class NoNames extends PersonNames {
  override of = away;
  override peopleCalled = away;
}

it('a page is shown without names where they cannot be told: what it reports may have been done', async () => {
  const options = new PortalOptions('https://portal.example', undefined, 'Africa/Nairobi');
  const contexts = new PageContexts(options, new NoNames(), { query: away } as unknown as Database);
  const viewer = { language: 'en' } as Viewer;
  const people = ['https://id.example#amina'];
  expect(await contexts.naming(viewer, { people, merchants: ['m'] })).toMatchObject({
    names: new Map(),
    merchants: new Map(),
  });
});
