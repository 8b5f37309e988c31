import { type HeldRole } from '#domain/people';
import { type Database } from '#infra/postgres';
import { AccessRequests } from '#records/people';
import { expect, it } from '@jest/globals';
import { type WaitingChanges } from './proposals.controller.js';
import { WaitingForTwo } from './waiting.controller.js';

it('roles that wait name people, so only those see them who see roles', async () => {
  const database = { query: () => Promise.resolve([]) } as unknown as Database;
  const changes = [{ kind: 'role' }, { kind: 'limits' }];
  const list = () => Promise.resolve(changes);
  const changesOf = { list } as unknown as WaitingChanges;
  const waiting = new WaitingForTwo(database, changesOf, new AccessRequests(database));
  const seenBy = async (role: 'admin' | 'auditor' | 'finance' | 'support' | 'viewer') => {
    const roles: readonly HeldRole[] = [{ role }];
    return (await waiting.of({ roles })).changes.map(({ kind }) => kind);
  };
  expect(await seenBy('admin')).toEqual(['role', 'limits']);
  expect(await seenBy('auditor')).toEqual(['role', 'limits']);
  for (const role of ['finance', 'support', 'viewer'] as const)
    expect(await seenBy(role)).toEqual(['limits']);
});
