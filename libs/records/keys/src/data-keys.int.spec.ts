import { createLogger } from '#infra/runtime';
import { Keyring, UnopenableCiphertext } from '#shared/signing';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  listDataKeys,
  listTokenKeys,
  noteTokenKeyUse,
  registerTokenKey,
} from './data-key-records.js';
import {
  countByKey,
  rowsSealedUnder,
  type SealedTable,
  storeResealedRows,
} from './sealed-tables.js';
import { loadDataKeys } from './data-keys.js';
import { checkMasterKey, ForeignMasterKey, storedKey } from './service-secrets.js';
import { sealedKeyTables, rewrapTable } from './rewrap.js';

const logger = createLogger({ app: 'tests', level: 'silent' });
const oldKey = { id: 'old', bytes: randomBytes(32) };
const newKey = { id: 'new', bytes: randomBytes(32) };
const words: SealedTable = {
  table: 'rail_messages',
  idColumn: 'id',
  idType: 'uuid',
  label: () => 'words',
  aad: (id) => id,
  underDataKey: true,
  hasDigest: true,
  isEmptiedByErasure: true,
};

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());
beforeEach(() =>
  own.database.query('truncate records.data_keys, records.rail_messages, records.secrets'),
);

async function loaded(...keys: { id: string; bytes: Buffer }[]): Promise<Keyring> {
  const keyring = Keyring.from(keys);
  await loadDataKeys(own.database, keyring, logger);
  return keyring;
}

async function rewrapAll(keyring: Keyring, tables: readonly SealedTable[]) {
  const results = [];
  for (const table of tables) results.push(await rewrapTable(own.database, keyring, { table }));
  return results;
}

it('processes that start together make one key for a month, and seal under that key', async () => {
  const rings = await Promise.all([1, 2, 3, 4].map(() => loaded(oldKey)));
  expect(new Set(rings.map(({ currentDataKeyId }) => currentDataKeyId)).size).toBe(1);
  const kept = await listDataKeys(own.database);
  expect(new Set(kept.map(({ period }) => period)).size).toBe(kept.length);
  const [first, second] = rings;
  expect(second?.open('a', first?.sealData('a', 'text') ?? { keyId: '', ciphertext: '' })).toEqual(
    Buffer.from('text'),
  );
});

it('a process that cannot unwrap the month’s key makes its own; a process with both keys opens both', async () => {
  const [ofNew, ofOld] = [await loaded(newKey), await loaded(oldKey)];
  const sealed = [ofNew.sealData('a', 'one'), ofOld.sealData('a', 'two')];
  expect(sealed[0]?.keyId).not.toBe(sealed[1]?.keyId);
  const both = await loaded(newKey, oldKey);
  expect(sealed.map((each) => both.open('a', each).toString())).toEqual(['one', 'two']);
});

it('a damaged key of this month is reported, affects only what it sealed, and is replaced', async () => {
  const before = await loaded(oldKey);
  await checkMasterKey(own.database, before);
  const sealed = before.sealData('a', 'text');
  const { currentDataKeyId: damaged } = before;
  await own.database.query(`update records.data_keys set ciphertext = 'torn' where id = $1`, [
    damaged,
  ]);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const told = createLogger({ app: 'tests', level: 'error', destination });
  const after = Keyring.from([oldKey]);
  await loadDataKeys(own.database, after, told);
  expect(lines.join('')).toContain(damaged);
  expect(() => after.open('a', sealed)).toThrow(UnopenableCiphertext);
  const anew = after.sealData('a', 'anew');
  await loadDataKeys(own.database, before, told);
  expect(before.open('a', anew).toString()).toBe('anew');
  expect(before.currentDataKeyId).toBe(after.currentDataKeyId);
});

it('a different master key with the same id adds no data key', async () => {
  const right = await loaded(oldKey);
  await checkMasterKey(own.database, right);
  const kept = await listDataKeys(own.database);
  await expect(loaded({ id: oldKey.id, bytes: randomBytes(32) })).rejects.toThrow(ForeignMasterKey);
  expect(await listDataKeys(own.database)).toEqual(kept);
});

it('rewrapping retires a master key: the new key alone opens what the data keys sealed', async () => {
  const before = await loaded(oldKey);
  const sealed = before.sealData('a', 'text');
  const secret = await storedKey(own.database, before, 'phone_hmac_key');

  const results = await rewrapAll(await loaded(newKey, oldKey), sealedKeyTables);
  expect(results.map(({ ofUnknownKeys, unopenable }) => [ofUnknownKeys, unopenable])).toEqual(
    results.map(() => [0, []]),
  );
  const after = await loaded(newKey);
  expect(after.open('a', sealed).toString()).toBe('text');
  expect((await storedKey(own.database, after, 'phone_hmac_key')).equals(secret)).toBe(true);
});

it('a deleted data key opens nothing, even in a running process', async () => {
  const keyring = await loaded(oldKey);
  const sealed = keyring.sealData('a', 'text');
  await own.database.query('delete from records.data_keys where id = $1', [sealed.keyId]);
  await loadDataKeys(own.database, keyring, logger);
  expect(() => keyring.open('a', sealed)).toThrow(UnopenableCiphertext);
  expect(keyring.sealData('a', 'text').keyId).not.toBe(sealed.keyId);
});

it('rail messages from before data keys are resealed in batches, and a second run changes nothing', async () => {
  const plain = Keyring.from([oldKey]);
  const ids = Array.from({ length: 450 }, () => randomUUID());
  await own.database.query(
    `insert into records.rail_messages (id, stream, digest, key_id, ciphertext)
       select id, 'collection-demo:m:r', digest, 'old', ciphertext
         from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as kept (id, digest, ciphertext)`,
    [
      ids,
      ids.map((id) => plain.hmacUnder('old', 'words', id)),
      ids.map((id) => plain.sealBytes('words', id, id)),
    ],
  );
  await own.database.query(`update records.rail_messages set ciphertext = 'torn' where id = $1`, [
    ids[7],
  ]);
  const keyring = await loaded(newKey, oldKey);
  const [result] = await rewrapAll(keyring, [words]);
  expect(result).toMatchObject({ rewrapped: 449, unopenable: [ids[7]] });
  const rows = await own.database.query<{
    id: string;
    key_id: string;
    ciphertext: Buffer;
    digest: Buffer;
  }>('select id, key_id, ciphertext, digest from records.rail_messages where id <> $1', [ids[7]]);
  for (const { id, key_id, ciphertext, digest } of rows) {
    expect(keyring.openBytes('words', key_id, ciphertext, id).toString()).toBe(id);
    expect(digest).toEqual(keyring.hmacUnder(key_id, 'words', id));
  }
  expect(await rewrapAll(keyring, [words])).toMatchObject([{ rewrapped: 0 }]);
});

it('a row that an erasure emptied stays empty and needs no key', async () => {
  const plain = Keyring.from([oldKey]);
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids)
    await own.database.query(
      `insert into records.rail_messages (id, stream, digest, key_id, ciphertext)
         values ($1, 'collection-demo:m:r', '', 'old', $2)`,
      [id, plain.sealBytes('words', id, id)],
    );
  const empty = (id: string | undefined): Promise<unknown> =>
    own.database.query(
      `update records.rail_messages set ciphertext = '', digest = '' where id = $1`,
      [id],
    );
  await empty(ids[0]);
  const options = { keyIds: ['old'], afterId: undefined, max: 10 };
  const read = await rowsSealedUnder(own.database, words, options);
  expect(read.map(({ id }) => id)).toEqual([ids[1]]);
  // Empty the row while a rewrap processes it.
  await empty(ids[1]);
  const resealed = read.map((row) => ({ ...row, formerKeyId: 'old', keyId: 'new' }));
  expect(await storeResealedRows(own.database, words, resealed)).toBe(0);
  expect(await countByKey(own.database, words)).toEqual([]);
  expect(await rewrapAll(await loaded(newKey, oldKey), [words])).toMatchObject([
    { rewrapped: 0, unopenable: [], ofUnknownKeys: 0 },
  ]);
});

it('rows under a key that is not in the ring are counted and left unchanged', async () => {
  await storedKey(own.database, Keyring.from([oldKey]), 'phone_hmac_key');
  const results = await rewrapAll(Keyring.from([newKey]), sealedKeyTables);
  expect(results.find(({ table }) => table === 'secrets')).toMatchObject({
    rewrapped: 0,
    ofUnknownKeys: 1,
  });
});

it('a key that only a command used is known, but no running process counts as its user', async () => {
  await registerTokenKey(own.database, 'typed');
  const used = async () =>
    (await listTokenKeys(own.database)).map(
      ({ keyId, lastUsedAt }) => [keyId, lastUsedAt.getTime() > 0] as const,
    );
  expect(await used()).toEqual([['typed', false]]);
  await noteTokenKeyUse(own.database, 'typed');
  await registerTokenKey(own.database, 'typed');
  expect(await used()).toEqual([['typed', true]]);
});
