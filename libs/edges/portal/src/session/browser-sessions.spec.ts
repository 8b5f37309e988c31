import { type RedisStore } from '#infra/redis';
import { Keyring } from '#shared/signing';
import { expect, it } from '@jest/globals';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { BrowserSessions } from './browser-sessions.js';
import { type SessionEnds, type Sessions } from '#records/people';

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

it('a form is accepted by each replica while the master key is rotated, but in no other session', () => {
  const [before, after] = [sessions(oldKey, newKey), sessions(newKey, oldKey)];
  const [hash, another] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)];
  for (const each of [before, after]) {
    const token = each.formToken(hash);
    expect([before, after].map((of) => of.gaveToken(hash, token))).toEqual([true, true]);
    expect([before, after].map((of) => of.gaveToken(another, token))).toEqual([false, false]);
  }
  expect(sessions(newKey).gaveToken(hash, before.formToken(hash))).toBe(false);
});

it('a session ends twelve hours after its sign-in, or after half an hour without use', async () => {
  const opened: SessionEnds[] = [];
  const kept = {
    open: (_session: object, ends: SessionEnds) => Promise.resolve(opened.push(ends) > 0),
  } as unknown as Sessions;
  const options = new PortalOptions('https://pay.example', undefined, 'Africa/Nairobi');
  const browsers = new BrowserSessions(kept, Keyring.from([newKey]), options, {} as RedisStore);
  const request = { headers: {} } as FastifyRequest;
  const nothing = () => undefined;
  const headers = { getHeader: nothing, removeHeader: nothing, header: nothing };
  const reply = headers as unknown as FastifyReply;
  const person = { issuer: 'https://id.example', subject: 'asha' };
  const session = { person, name: 'Asha', authenticatedAt: new Date(0) };
  expect(await browsers.open(request, reply, session, 0)).toHaveLength(32);
  const minuteMs = 60_000;
  expect(opened).toEqual([{ idleMs: 30 * minuteMs, absoluteMs: 12 * 60 * minuteMs }]);
});

it('a session is stored with its browser’s name, and never with the header', async () => {
  const opened: object[] = [];
  const kept = {
    open: (session: object) => Promise.resolve(opened.push(session) > 0),
  } as unknown as Sessions;
  const options = new PortalOptions('https://pay.example', undefined, 'Africa/Nairobi');
  const browsers = new BrowserSessions(kept, Keyring.from([newKey]), options, {} as RedisStore);
  const nothing = () => undefined;
  const headers = { getHeader: nothing, removeHeader: nothing, header: nothing };
  const reply = headers as unknown as FastifyReply;
  const session = {
    person: { issuer: 'https://id.example', subject: 'asha' },
    name: 'Asha',
    authenticatedAt: new Date(0),
  };
  const header = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
  const request = { headers: { 'user-agent': header } } as FastifyRequest;
  await browsers.open(request, reply, session, 0);
  expect(opened).toMatchObject([{ browser: 'Firefox', browserSystem: 'Linux' }]);
  expect(JSON.stringify(opened)).not.toContain('Gecko');
});

it('a person makes 40 requests a second over all sessions, and 400 at once', () => {
  const { personRate } = new PortalOptions('https://pay.example', undefined, 'Africa/Nairobi');
  expect(personRate).toEqual({ limit: 40, intervalMs: 1000, burst: 400 });
});
