import { findLinkSecrets, RecordedCredentialSecrets } from '#records/credentials';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { type Database } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import {
  eventually,
  merchantId,
  onboarded,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyBatch } from '#views/projection';
import { createViews, noteFresh } from '#views/view-set';
import { CachedMerchants } from './cached-merchants.js';
import { projectMerchants } from './project.js';

const keyring = Keyring.from([{ id: 'k1', bytes: new Uint8Array(32).fill(7) }]);
const schema = 'views_spec_1';

let server: ThrowAwayDatabase;
let database: Database;
let merchants: CachedMerchants;
/** The time by which the cache judges ends. */
let nowMs = Date.parse('2026-01-01T00:00:00.000Z');
const end = '2026-02-01T00:00:00.000Z' as Instant;
/** Maximum number of statements that were open at once. */
let max = 0;

beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, schema);
  database = server.database.beside({ searchPath: [schema] });
  const log = onboarded();
  const named = { credentialId: 'v3-1', holder: 'shop', publicKeyPem: 'PEM' };
  log.append<MerchantEvent>(
    merchantStream(merchantId),
    { type: 'VidAssigned', data: { vid: 'duka' } },
    { type: 'CredentialIssued', data: { ...named, kind: 'v3', consumerKey: 'v3_known' } },
    {
      type: 'CredentialIssued',
      data: {
        credentialId: 'ck-1',
        kind: 'checkout',
        mode: 'demo',
        holder: 'shop',
        keyId: 'ck_known',
      },
    },
    {
      type: 'CredentialIssued',
      data: {
        ...named,
        credentialId: 'v3-2',
        kind: 'v3',
        consumerKey: 'v3_ending',
        expiresAt: end,
      },
    },
    {
      type: 'CredentialIssued',
      data: {
        credentialId: 'ck-2',
        kind: 'checkout',
        mode: 'demo',
        holder: 'shop',
        keyId: 'ck_ending',
        expiresAt: end,
      },
    },
  );
  await database.transaction((transaction) => applyBatch(transaction, log.events));
  await noteFresh(database, 0n, new Date());
  const secrets = new RecordedCredentialSecrets(server.database, keyring);
  for (const credentialId of ['v3-1', 'ck-1', 'v3-2', 'ck-2'])
    await secrets.keepLinkSecret(credentialId);
  merchants = await CachedMerchants.open(
    database,
    (ids) => findLinkSecrets(database, keyring, ids),
    { nowMs: () => nowMs },
  );

  const query = database.query.bind(database);
  let open = 0;
  database.query = async (...statement) => {
    open += 1;
    max = Math.max(max, open);
    try {
      return await query(...statement);
    } finally {
      open -= 1;
    }
  };
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

describe('names that any caller may invent', () => {
  it('are looked up together for any number of unknown callers, and each gets its own answer', async () => {
    const unknown = Array.from({ length: 300 }, (_, index) => `unknown-${index}`);
    const lookUp = (find: (name: string) => Promise<unknown>, known: string) =>
      Promise.all([...unknown, known, ...unknown.map((name) => `${name}x`)].map(find));
    max = 0;
    const keys = await lookUp((name) => merchants.v3Credential(name), 'v3_known');
    const ids = await lookUp((name) => merchants.checkoutKey(name), 'ck_known');
    const vids = await lookUp((name) => merchants.merchantByVid(name), 'duka');
    const found = { merchantId: 'm-1' };
    for (const answers of [keys, ids, vids]) {
      expect(answers[300]).toMatchObject(found);
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    }
    // One look-up of names, and one of the secrets of those that were found.
    expect(max).toBeLessThanOrEqual(2);
  });

  it.each(['\0', 'duka\0', '', 'a b', 'é', 'x'.repeat(129)])(
    'match nothing if no name has such a form (%j), and do not spoil other look-ups',
    async (name) => {
      const finders = [
        (text: string) => merchants.v3Credential(text),
        (text: string) => merchants.checkoutKey(text),
        (text: string) => merchants.merchantByVid(text),
      ];
      const asked = finders.flatMap((find) => [find(name), find('another')]);
      expect(await Promise.all(asked)).toEqual(asked.map(() => undefined));
    },
  );
});

describe('a credential with an end', () => {
  const known = async () => ({
    v3: (await merchants.v3Credential('v3_ending'))?.credentialId,
    checkout: (await merchants.checkoutKey('ck_ending'))?.credentialId,
    links: (await merchants.v3LinkKeys(merchantId)).map(({ credentialId }) => credentialId).sort(),
  });
  const works = { v3: 'v3-2', checkout: 'ck-2', links: ['v3-1', 'v3-2'] };
  const none = { v3: undefined, checkout: undefined, links: ['v3-1'] };

  it('works to the last millisecond before its end, by the clock, though it is cached', async () => {
    nowMs = Date.parse(end) - 1;
    expect(await known()).toEqual(works);
    nowMs += 1;
    expect(await known()).toEqual(none);
    expect(await merchants.v3Credential('v3_known')).toMatchObject({ expiresAt: null });
    nowMs -= 1;
    expect(await known()).toEqual(works);
  });

  it('soon has an operator’s new end, before the projector has read its event', async () => {
    const secrets = new RecordedCredentialSecrets(server.database, keyring);
    const moved = async (to: Instant | undefined, revision: bigint) => {
      for (const id of ['v3-2', 'ck-2']) await secrets.endAt(id, to, revision);
    };
    nowMs = Date.parse(end) + 1;
    await moved(undefined, 100n);
    const becomes = (wanted: object) =>
      eventually(known, (found) => JSON.stringify(found) === JSON.stringify(wanted), {
        withinMs: 30_000,
        everyMs: 10,
      });
    expect(await becomes(works)).toEqual(works);
    await moved(end, 101n);
    expect(await becomes(none)).toEqual(none);
  });

  it('has the end of its last event, even if the command that appended it was interrupted', async () => {
    const log = onboarded();
    const credentialId = 'v3-2';
    log.append<MerchantEvent>(
      merchantStream(merchantId),
      { type: 'CredentialExpirySet', data: { credentialId, expiresAt: end } },
      { type: 'CredentialExpirySet', data: { credentialId } },
    );
    const endOf = async () => {
      const [row] = await database.query<{ readonly end: Date | null }>(
        'select expires_at as "end" from records.credential_ends where credential_id = $1',
        [credentialId],
      );
      return row && (row.end?.toISOString() ?? null);
    };
    await database.query('delete from records.credential_ends');
    const [set, removed] = log.events.slice(-2);
    await projectMerchants(database, [set as RecordedEvent<MerchantEvent>]);
    expect(await endOf()).toBe(end);
    await projectMerchants(database, [removed as RecordedEvent<MerchantEvent>]);
    expect(await endOf()).toBeNull();
    // A set of views that is built again reads the older event last.
    await projectMerchants(database, [set as RecordedEvent<MerchantEvent>]);
    expect(await endOf()).toBeNull();
  });
});
