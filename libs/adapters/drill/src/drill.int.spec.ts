import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditStream, type DaySealed, Frontier, hex } from '#domain/audit';
import { concludeDrill, type DrillFindings } from '#domain/drills';
import { sealedKeyTables } from '#records/keys';
import { sealedRecordTables } from '#records/operations';
import { type Database } from '#infra/postgres';
import { SystemClock, SystemTimer } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import {
  accept,
  HandMadeLog,
  intend,
  LogWithFaults,
  onboarded,
  pay,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { fillViews } from '#views/replay';
import { createViews, noteFresh } from '#views/view-set';
import { type DrillOptions, drillOwnCopy, drillRestored } from './index.js';
import { latestAt, ownTables } from './record-tables.js';

const schema = 'views_902';
const keys = [{ id: 'k1', bytes: randomBytes(32) }];
const hourMs = 3_600_000;

let serving: ThrowAwayDatabase;
let copy: ThrowAwayDatabase;
let store: LogWithFaults;
let lastEvent: { readonly stream: string; readonly revision: bigint; readonly id: string };
let aborter: AbortController;
let doing: string[];

/** Writes the same rows to both databases, as after a backup and its restore. */
async function inBoth(statement: string, values: readonly unknown[] = []): Promise<void> {
  for (const { database } of [serving, copy]) await database.query(statement, values);
}

const claim = `insert into records.idempotency_claims values ($1, $2, 'R', records.now_() - $3 * interval '1 ms')`;
const claimed = (ageMs: number): unknown[] => [randomBytes(32), randomBytes(32), ageMs];

const leaves = [1, 2, 3].map((leaf) => createHash('sha256').update(`leaf ${leaf}`).digest());
const rootOf = (hashes: readonly Uint8Array[]): string => {
  const tree = new Frontier((data) => createHash('sha256').update(data).digest());
  for (const hash of hashes) tree.append(hash);
  return hex(tree.root());
};
const head: DaySealed['data'] = {
  date: '2026-11-20',
  timezone: 'Africa/Nairobi',
  keyId: 'k',
  publicKey: '',
  signature: '',
  treeSize: '1',
  root: rootOf(leaves.slice(0, 1)),
  historySize: '3',
  historyRoot: rootOf(leaves),
};

beforeAll(async () => {
  serving = await throwAwayDatabase();
  const log = onboarded(new HandMadeLog(Date.now() - hourMs));
  for (const reference of ['A', 'B', 'C']) {
    const stream = intend(log.wait(5), reference);
    accept(log, stream);
    pay(log, stream, { under: `RC${reference}` });
  }
  const last = log.events.at(-1);
  if (!last) throw new TypeError('the log is empty');
  lastEvent = last;
  log.append<DaySealed>(auditStream, { type: 'DaySealed', data: head });
  store = new LogWithFaults(log);
  await createViews(serving.database, schema, true);
  const upTo = log.events.at(-1)?.position ?? 0n;
  const database = serving.database;
  const timer = new SystemTimer();
  await fillViews({ database, store, timer, schema, holder: 'spec', tells: true, upTo });
  const views = serving.database.beside({ searchPath: [schema] });
  await noteFresh(views, upTo, new Date());
  await views.close();
});
afterAll(() => serving.drop());

beforeEach(async () => {
  copy = await throwAwayDatabase();
  aborter = new AbortController();
  doing = [];
  const keyring = Keyring.from(keys);
  for (const age of [5, 4, 3]) await inBoth(claim, claimed(age * hourMs));
  await inBoth(
    `insert into records.link_secrets (credential_id, key_id, ciphertext, created_at)
     values ('c1', 'k1', $1, records.now_() - interval '3 hours')`,
    [keyring.sealBytes('link_secret', 'secret', 'c1')],
  );
  // A row that an erasure emptied opens with no key; that is not a fault of the copy.
  await inBoth(
    `insert into records.rail_messages (id, stream, digest, key_id, ciphertext, received_at)
     values ($1, 'collection-demo:m:r', '', 'k1', '', records.now_() - interval '3 hours')`,
    [randomUUID()],
  );
  for (const [tree, hashes] of [
    ['history', leaves],
    ['postings', leaves.slice(0, 1)],
  ] as const)
    await inBoth(`insert into records.audit_tiles values ($1, 0, 0, $2, 1)`, [
      tree,
      Buffer.concat(hashes),
    ]);
  await inBoth(
    `update records.audit_state set stream = $1, revision = $2, event_id = $3, postings = 1, events = 3`,
    [lastEvent.stream, lastEvent.revision, lastEvent.id],
  );
});
afterEach(async () => {
  await serving.database.query(
    'truncate records.idempotency_claims, records.link_secrets, records.rail_messages, records.audit_tiles',
  );
  await copy.drop();
});

const options = (): DrillOptions => ({
  database: serving.database,
  schema,
  store,
  keyring: Keyring.from(keys),
  clock: new SystemClock(),
  timer: new SystemTimer(),
  holder: randomUUID(),
  sealedTables: [...sealedKeyTables, ...sealedRecordTables],
  signal: aborter.signal,
  onProgress: (what) => doing.push(what),
});
const onRestored = (): Promise<DrillFindings> => drillRestored(options(), copy.url);

/** The objects that a drill must not leave behind. */
async function leftIn(database: Database): Promise<readonly object[]> {
  return database.query(
    `select nspname::text as name from pg_namespace where nspname like '%drill%'
     union all select name from records.leases where name like '%drill%'`,
  );
}
const ownCopies = async (): Promise<readonly string[]> =>
  (
    await serving.database.query<{ name: string }>(
      `select datname::text as name from pg_database where datname ~ '^pesapost_drill_'`,
    )
  ).map(({ name }) => name);

it('knows each table of the records', async () => {
  const tables = await serving.database.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'records'::regnamespace and relkind = 'r'`,
  );
  const known = [...Object.keys(latestAt), ...ownTables];
  expect(tables.map(({ name }) => name).sort()).toEqual(known.sort());
});

describe('a restored copy', () => {
  it('holds if it lacks only newer rows, counted by table, and nothing of the drill remains', async () => {
    for (let newer = 0; newer < 4; newer += 1) await serving.database.query(claim, claimed(hourMs));
    // A row that the serving database no longer has, as after housekeeping, is not missing.
    await copy.database.query(claim, claimed(4.5 * hourMs));
    // The worker's lease of a day does not make the backup younger.
    await copy.database.query(
      `insert into records.leases (name, holder, fence, expires_at) values ('webhook-summary', 'w', 1, now() + interval '20 h')`,
    );
    const found = await onRestored();
    const { outcome, faults, opened, views, heads, ageSeconds } = concludeDrill(found);
    expect({ outcome, faults, opened, heads }).toEqual({
      outcome: 'held',
      faults: [],
      opened: 1,
      heads: 1,
    });
    expect(found.records.filter(({ newer }) => newer > 0)).toEqual([
      { table: 'idempotency_claims', rows: 4, missing: 0, newer: 4, areMore: false },
    ]);
    expect(views).toBe(found.views.length);
    expect(found.views).toContainEqual({ table: 'balances', isSame: true });
    expect(Math.round(ageSeconds / 3600)).toBe(3);
    for (const { database } of [serving, copy]) expect(await leftIn(database)).toEqual([]);
  });

  it('names a settled row that is missing, a sealed one that was changed, trees and views that differ', async () => {
    await copy.database.query(
      `delete from records.idempotency_claims where claimed_at = (select min(claimed_at) from records.idempotency_claims)`,
    );
    const flip = (column: string) =>
      `${column} = set_byte(${column}, 30, get_byte(${column}, 30) # 1)`;
    await copy.database.query(`update records.link_secrets set ${flip('ciphertext')}`);
    await copy.database.query(
      `update records.audit_tiles set ${flip('hashes')} where tree = 'history'`,
    );
    const change = (by: number) =>
      serving.database.query(`update ${schema}.balances set credits_minor = credits_minor + ${by}`);
    await change(1);
    try {
      const found = await onRestored();
      expect(concludeDrill(found)).toMatchObject({
        outcome: 'failed',
        faults: [
          { check: 'records', table: 'idempotency_claims', count: 1 },
          { check: 'sealed', table: 'link_secrets', count: 1 },
          { check: 'views', table: 'balances', count: 1 },
          { check: 'seals', count: 1 },
        ],
      });
      expect(found.seals.fault).toContain('another root than the head of 2026-11-20');
    } finally {
      await change(-1);
    }
  });

  it('is refused if it is the serving database, has no records, or is of a later release', async () => {
    await expect(drillRestored(options(), serving.url)).rejects.toThrow(
      'this is the serving database',
    );
    await copy.database.query(
      `insert into records.migrations (number, name, checksum) values (9999, 'later', '')`,
    );
    await expect(onRestored()).rejects.toThrow('go up to migration 9999');
    await copy.database.query('drop schema records cascade');
    await expect(onRestored()).rejects.toThrow('has no schema records');
    const later = `insert into records.migrations (number, name, checksum) values (9998, 'later', '')`;
    await serving.database.query(later);
    await expect(drillOwnCopy(options(), serving.url)).rejects.toThrow(
      'with the release that serves',
    );
    await serving.database.query('delete from records.migrations where number = 9998');
    const nowhere = new URL(copy.url);
    nowhere.pathname = '/pesapost_no_such_database';
    await expect(drillRestored(options(), nowhere.href)).rejects.toThrow('does not answer');
  });
});

describe('a copy of the drill’s own', () => {
  it('is made, holds and is dropped; so is what a killed drill left', async () => {
    const left = `pesapost_drill_${randomBytes(6).toString('hex')}`;
    await serving.database.query(`create database ${left}`);
    const found = await drillOwnCopy(options(), serving.url);
    expect(concludeDrill(found)).toMatchObject({
      copy: 'made',
      outcome: 'held',
      newer: 0,
      opened: 1,
    });
    expect(found.records).toContainEqual(
      expect.objectContaining({ table: 'idempotency_claims', rows: 3 }),
    );
    expect(await ownCopies()).toEqual([]);
  });

  it.each(['copying records.idempotency_claims', 'building views'])(
    'is dropped if the drill is interrupted while %s',
    async (moment) => {
      const interrupted: DrillOptions = {
        ...options(),
        onProgress: (what) => {
          if (what.startsWith(moment)) aborter.abort();
        },
      };
      await expect(drillOwnCopy(interrupted, serving.url)).rejects.toThrow();
      expect(aborter.signal.aborted).toBe(true);
      expect(await ownCopies()).toEqual([]);
    },
  );
});
