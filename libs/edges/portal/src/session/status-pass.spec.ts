import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Clock } from '#domain/kernel';
import { hashSecret, Keyring, newSecret } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { StatusPass } from './status-pass.js';

const hourMs = 3_600_000;
const keys = [{ id: 'key_of-2026', bytes: randomBytes(32) }];

class OwnClock extends Clock {
  ms = Date.UTC(2026, 10, 22);
  override nowMs = () => this.ms;
}

/** A pass of a session, and the check of it with other cookies and later. */
function given() {
  const clock = new OwnClock();
  const options = new PortalOptions('https://portal.example', undefined, 'Africa/Nairobi');
  const by = (keyring: Keyring) => new StatusPass(keyring, clock, options);
  const passes = by(Keyring.from(keys));
  const session = newSecret();
  let set = '';
  const reply = {
    getHeader: () => undefined,
    removeHeader: () => undefined,
    header: (_name: string, [value = '']: readonly string[]) => {
      set = value;
    },
  };
  passes.give(reply as unknown as FastifyReply, hashSecret(session));
  const [pass = ''] = set.split(';');
  const isGiven = (of: { session?: string; pass?: string; passes?: StatusPass } = {}) => {
    const cookie = `__Host-portal=${of.session ?? session}; ${of.pass ?? pass}`;
    return (of.passes ?? passes).isGiven({ headers: { cookie } } as FastifyRequest);
  };
  return { clock, by, set, pass, isGiven };
}

describe('the pass of the status page', () => {
  it('is sent to that page alone, over https, and to no script', () => {
    expect(given().set).toMatch(
      /^__Secure-portal-status=.+; Path=\/portal\/status; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
    );
  });

  it('counts for an hour', () => {
    const { clock, isGiven } = given();
    clock.ms += hourMs - 1;
    expect(isGiven()).toBe(true);
    clock.ms += 1;
    expect(isGiven()).toBe(false);
  });

  it('counts with its own session’s cookie alone: not with another, nor after a sign-out', () => {
    const { isGiven } = given();
    expect([isGiven({ session: newSecret() }), isGiven({ session: '' })]).toEqual([false, false]);
  });

  it('counts only as it was signed, by any key that is still known', () => {
    const { by, pass, isGiven } = given();
    const [name = '', value = ''] = pass.split('=');
    const later = `${name}=${Number(value.slice(0, 13)) + hourMs}${value.slice(13)}`;
    expect(isGiven({ pass: later })).toBe(false);
    expect(isGiven({ pass: `${name}=` })).toBe(false);
    const next = { id: 'next', bytes: randomBytes(32) };
    expect(isGiven({ passes: by(Keyring.from([next, ...keys])) })).toBe(true);
    expect(isGiven({ passes: by(Keyring.from([next])) })).toBe(false);
  });
});
