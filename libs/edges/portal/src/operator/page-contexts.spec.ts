import { DependencyUnavailable } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { expect, it } from '@jest/globals';
import { type Viewer } from '../access/viewer.js';
import { PortalOptions } from '../portal-options.js';
import { PersonNames } from '#records/people';
import { PageContexts } from './page-contexts.js';

const database = {
  query: () => Promise.reject(new DependencyUnavailable('postgres', 'away')),
} as unknown as Database;

it('a page is shown without names where they cannot be told: what it reports may have been done', async () => {
  const options = new PortalOptions('https://portal.example', undefined, 'Africa/Nairobi');
  const contexts = new PageContexts(options, new PersonNames(database), database);
  const viewer = { language: 'en' } as Viewer;
  const people = ['https://id.example#amina'];
  expect(await contexts.naming(viewer, { people, merchants: ['m'] })).toMatchObject({
    names: new Map(),
    merchants: new Map(),
  });
});
