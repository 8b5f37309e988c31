import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import { type Certificate, certificateIn } from '../../../../test/servers/certificates.js';
import { certificateEndMs, certificateFiles } from './certificate-files.js';
import { watchEnds } from './watch-ends.js';

const daySeconds = 86_400;
const noServers = { eventstoreUrl: 'esdb://h:2113', databaseUrl: 'postgres://h/d' };

/** Midnight in UTC, this many days after the day that has begun. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * daySeconds * 1000)
    .toISOString()
    .slice(0, '2026-11-21'.length);
}

interface Given {
  readonly credentials?: readonly {
    readonly mode: 'live' | 'demo';
    readonly secondsLeft: number;
  }[];
  readonly initiatorExpires?: string;
  readonly secretExpires?: string;
  readonly pinExpires?: string;
  readonly servers?: typeof noServers;
}

/** The exposition of an installation with these ends. */
async function shown({
  credentials,
  initiatorExpires,
  secretExpires,
  pinExpires,
  servers = noServers,
}: Given): Promise<string> {
  const metrics = new Metrics();
  const database = {
    query: () =>
      credentials ? Promise.resolve(credentials) : Promise.reject(new Error('postgres is away')),
  } as unknown as Database;
  const payouts = initiatorExpires === undefined ? {} : { payouts: { initiatorExpires } };
  watchEnds(database, {
    settings: {
      rails: {
        mpesa: { demo: {}, live: payouts },
        airtel: { live: undefined, demo: { secretExpires, payouts: { pinExpires } } },
      },
    },
    servers,
    clock: { nowMs: () => Date.now() },
    metrics,
  } as unknown as Parameters<typeof watchEnds>[1]);
  return metrics.registry.metrics();
}

describe('a credential or rail secret that expires', () => {
  it.each([
    [8, []],
    [6, ['CredentialEndsSoon']],
    [-1, ['CredentialEndsSoon']],
  ])('raises an alert for the first credential to end: %d days', async (days, alerts) => {
    const secondsLeft = days * daySeconds;
    const text = await shown({ credentials: [{ mode: 'live', secondsLeft }] });
    expect(text).toContain(`pesapost_ends_in_seconds{what="credential",of="live"} ${secondsLeft}`);
    expect(await alertsFiredBy(text)).toEqual(alerts);
  });

  it.each([
    [16, []],
    [13, ['RailSecretEndsSoon']],
    [-2, ['RailSecretEndsSoon']],
  ])('raises an alert for the initiator’s password: %d days', async (days, alerts) => {
    const text = await shown({ credentials: [], initiatorExpires: dayIn(days) });
    expect(text).toMatch(/^pesapost_ends_in_seconds\{what="initiator_password",of="live"\} -?\d/m);
    expect(await alertsFiredBy(text)).toEqual(alerts);
  });

  it.each([
    ['secretExpires', 'airtel_client_secret'],
    ['pinExpires', 'airtel_pin'],
  ])('raises the same alert for Airtel’s: %s', async (setting, what) => {
    const series = `pesapost_ends_in_seconds{what="${what}",of="demo"}`;
    const late = await shown({ credentials: [], [setting]: dayIn(16) });
    expect(late).toContain(series);
    expect(await alertsFiredBy(late)).toEqual([]);
    const soon = await shown({ credentials: [], [setting]: dayIn(13) });
    expect(soon).toContain(series);
    expect(await alertsFiredBy(soon)).toEqual(['RailSecretEndsSoon']);
  });

  it('is not shown if it has no known end, or while Postgres is away', async () => {
    for (const given of [{ credentials: [] }, {}])
      expect(await shown(given)).not.toMatch(/^pesapost_ends_in_seconds\{/m);
    const beside = await shown({ initiatorExpires: dayIn(40) });
    expect(beside).toContain('what="initiator_password"');
  });
});

describe('the certificates of the stores', () => {
  let folder: string;
  let made: Certificate;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pesapost-ends-'));
    made = await certificateIn(folder, 'spec');
  }, 660_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('are those that their URLs name, in any spelling that the clients accept', () => {
    expect(
      certificateFiles({
        eventstoreUrl: 'esdb://h:2113?tls=true&tlsCaFile=%2Fetc%2Fca.pem&user_cert_file=u.pem',
        databaseUrl: 'postgres://h/d?sslmode=verify-full&sslrootcert=/etc/root.pem&sslkey=k.pem',
      }),
    ).toEqual([
      { of: 'event_store', file: '/etc/ca.pem' },
      { of: 'event_store', file: 'u.pem' },
      { of: 'postgres', file: '/etc/root.pem' },
    ]);
    expect(certificateFiles(noServers)).toEqual([]);
  });

  it('raise an alert before the first of them ends', async () => {
    const servers = { ...noServers, eventstoreUrl: `esdb://h:2113?tlsCAFile=${made.authority}` };
    const text = await shown({ credentials: [], servers });
    expect(text).toContain('pesapost_ends_in_seconds{what="certificate",of="event_store"}');
    expect(await alertsFiredBy(text)).toEqual(['CertificateEndsSoon']);
  });

  it('count by the earliest end of a file, and an unreadable file has none', async () => {
    const both = join(folder, 'both.pem');
    const texts = await Promise.all(
      [made.authority, made.certificate].map((file) => readFile(file, 'utf8')),
    );
    await writeFile(both, texts.join('\n'));
    const [first, second] = [
      await certificateEndMs(made.authority),
      await certificateEndMs(made.certificate),
    ];
    expect(await certificateEndMs(both)).toBe(Math.min(first ?? NaN, second ?? NaN));
    await writeFile(both, 'no certificate');
    expect(await certificateEndMs(both)).toBeUndefined();
    expect(await certificateEndMs(join(folder, 'absent.pem'))).toBeUndefined();
  });
});
