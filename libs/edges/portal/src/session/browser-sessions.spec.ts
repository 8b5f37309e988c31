import { type RedisStore } from '#infra/redis';
import { Keyring } from '#shared/signing';
import { expect, it } from '@jest/globals';
import { type PortalOptions } from '../portal-options.js';
import { BrowserSessions } from './browser-sessions.js';
import { type Sessions } from './ports.js';

const [oldKey, newKey] = [
  { id: 'old', bytes: Buffer.alloc(32, 1) },
  { id: 'new', bytes: Buffer.alloc(32, 2) },
];
const sessions = (...keys: (typeof oldKey)[]): BrowserSessions =>
  new BrowserSessions(
    {} as Sessions,
    Keyring.from(keys),
    { url: 'http://localhost:8080' } as PortalOptions,
    {} as RedisStore,
  );

it('a form is taken by each replica while the master key is rotated, and of no other session', () => {
  const [before, after] = [sessions(oldKey, newKey), sessions(newKey, oldKey)];
  const [hash, another] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)];
  for (const each of [before, after]) {
    const token = each.formToken(hash);
    expect([before, after].map((of) => of.gaveToken(hash, token))).toEqual([true, true]);
    expect([before, after].map((of) => of.gaveToken(another, token))).toEqual([false, false]);
  }
  expect(sessions(newKey).gaveToken(hash, before.formToken(hash))).toBe(false);
});
