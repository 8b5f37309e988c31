import { type CopiedRecord } from '#testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Copy } from '../test/copy.js';
import { type Fault } from './fault.js';
import { readHeads } from './sealer.js';

/** For a run by hand, set any number: AUDIT_CHANGES=10000. */
const changes = Number(process.env['AUDIT_CHANGES'] ?? 200);
const seed = Number(process.env['AUDIT_SEED'] ?? Date.now() % 2 ** 31);

const firstIsDue = Date.parse('2026-11-01T21:05:00Z');

/** One change of one byte. */
interface Change {
  readonly what: string;
  readonly undo: () => void;
  /** True if the fault names the place that was changed. */
  readonly names: (fault: Fault) => boolean;
}

let copy: Copy;
beforeAll(async () => {
  copy = await Copy.of(2, 6);
  await copy.seal();
  await copy.project();
});

describe('one byte that is changed', () => {
  it('anywhere in history, its views or its records is found, and named', async () => {
    expect(await copy.check()).toMatchObject({ faults: 0, named: [] });
    const random = new Random(seed);
    const missed: string[] = [];
    for (let n = 0; n < changes; n += 1) {
      const change = anywhere(random);
      const { named, faults } = await copy.check(20);
      if (faults === 0 || !named.some(change.names))
        missed.push(`${change.what}: ${JSON.stringify(named.slice(0, 3))}`);
      change.undo();
    }
    expect({ seed, missed }).toEqual({ seed, missed: [] });
    expect(await copy.check()).toMatchObject({ faults: 0 });
  }, 3_600_000);

  it('a whole event that is missing, repeated or swapped with the next is found', async () => {
    const { records } = copy.log;
    // Only the next head binds the records after the last head.
    const sealed = records.slice(0, copy.tiles.now.events - 1);
    for (const at of sealed.keys()) {
      for (const order of [
        records.toSpliced(at, 1),
        records.toSpliced(at, 0, ...records.slice(at, at + 1)),
        records.toSpliced(at, 2, ...records.slice(at, at + 2).reverse()),
      ]) {
        copy.log.records = order;
        expect((await copy.check(1)).faults).toBeGreaterThan(0);
      }
    }
    copy.log.records = records;
  });

  it('an event that the log repeats is named, even after the last head', async () => {
    const own = await Copy.of(2, 6);
    await own.seal(firstIsDue);
    const { records } = own.log;
    const noted = own.tiles.now.events;
    expect(noted).toBeGreaterThan(Number((await readHeads(own.log)).at(-1)?.head.historySize));
    for (const [at, record] of records.slice(0, noted - 1).entries()) {
      own.log.records = records.toSpliced(at, 0, record);
      const { named } = await own.check(20);
      expect(named).toContainEqual(expect.objectContaining({ in: 'events', eventId: record.id }));
    }
  });
});

it('a day that is sealed while a check begins is no fault', async () => {
  const own = await Copy.of(2, 6);
  await own.seal(firstIsDue);
  const state = own.tiles.state.bind(own.tiles);
  own.tiles.state = async () => {
    const read = await state();
    own.tiles.state = state;
    await own.seal();
    // The head of the days that are over binds heads, too.
    await own.seal();
    return read;
  };
  expect(await own.check()).toMatchObject({ faults: 0, named: [] });
});

describe('a message that is not there', () => {
  const dayMs = 86_400_000;

  it('is no fault from a day before its retention ends, since it may go while a check runs', async () => {
    const { rows } = copy.messages;
    const times = copy.log.records.map(({ createdMs }) => createdMs);
    copy.messages.rows = rows.slice(1);
    try {
      expect(await copy.check(1, Math.max(...times) - dayMs)).toMatchObject({ faults: 0 });
      const { named } = await copy.check(1, Math.min(...times) - dayMs - 1);
      expect(named).toMatchObject([{ tells: 'the message that it names is not in the records' }]);
    } finally {
      copy.messages.rows = rows;
    }
  });
});

/** Returns the same numbers for the same seed (mulberry32). */
class Random {
  constructor(private state: number) {}

  below(bound: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new Error('there is none');
    return one;
  }
}

function anywhere(random: Random): Change {
  const kinds = [
    ...[inEvent, inEvent, inEvent, inHead, inEntry, inSection, inBalance],
    ...[inTile, inMessage],
  ];
  return random.of(kinds)(random);
}

/** Changes an event that a head binds: its data, its metadata, or the fields that the store adds. */
function inEvent(random: Random): Change {
  const sealed = copy.tiles.now.events;
  const record = copy.log.records[random.below(sealed)];
  if (!record) throw new Error('the copy has no events');
  const before = { ...record };
  const member = random.of([
    ...(['data', 'data', 'data', 'metadata', 'metadata', 'metadata'] as const),
    ...(['id', 'type', 'stream', 'revision', 'createdMs', 'isJson'] as const),
  ]);
  changeRecord(record, member, random);
  const next = copy.log.records.find(({ position }) => position > record.position);
  const places = [record, next].map((of) => String(of?.position));
  return {
    what: `${member} of ${before.type} in ${before.stream}`,
    undo: () => Object.assign(record, before),
    names: ({ in: where, position, eventId }) =>
      // If the change moves a record out of the service's streams, the check reports it missing before the next record.
      where === 'events' && (places.includes(position ?? '') || eventId === before.id),
  };
}

function changeRecord(record: CopiedRecord, member: keyof CopiedRecord, random: Random): void {
  if (member === 'data' || member === 'metadata') record[member] = withByte(record[member], random);
  else if (member === 'id' || member === 'type' || member === 'stream')
    record[member] = withLetter(record[member], random);
  else if (member === 'revision') record.revision ^= 1n << BigInt(random.below(8));
  else if (member === 'createdMs') record.createdMs ^= 1 << random.below(24);
  else record.isJson = false;
}

/** Changes the data of any head, including the last one. */
function inHead(random: Random): Change {
  const record = random.of(copy.log.records.filter(({ type }) => type === 'DaySealed'));
  const before = record.data;
  record.data = withByte(before, random);
  return {
    what: `a head: ${record.data.toString('latin1')}`,
    undo: () => (record.data = before),
    names: ({ in: where, eventId }) =>
      eventId === record.id && (where === 'heads' || where === 'events'),
  };
}

function inEntry(random: Random): Change {
  const row = random.of(copy.ledger.rows);
  const before = { ...row };
  const member = random.of(Object.keys(row) as (keyof typeof row)[]);
  const value = row[member];
  if (value === null) Object.assign(row, { [member]: '00' });
  else
    Object.assign(row, {
      [member]: withLetter(value, random, member === 'position' || member === 'leg'),
    });
  return {
    what: `${member} of a ledger entry: ${String(value)} is ${String(row[member])}`,
    undo: () => Object.assign(row, before),
    names: ({ in: where }) => where === 'ledger_entries',
  };
}

function inSection(random: Random): Change {
  const row = random.of(copy.ledger.sections);
  const before = { ...row };
  const member = random.of(['section', 'digest'] as const);
  row[member] = withLetter(row[member], random, member === 'section');
  return {
    what: `${member} of a section of the ledger`,
    undo: () => Object.assign(row, before),
    names: ({ in: where }) => where === 'ledger_sections',
  };
}

function inBalance(random: Random): Change {
  const row = random.of(copy.ledger.balances);
  const before = { ...row };
  const member = random.of(Object.keys(row) as (keyof typeof row)[]);
  Object.assign(row, { [member]: withLetter(row[member] ?? '0', random) });
  return {
    what: `${member} of a balance`,
    undo: () => Object.assign(row, before),
    names: ({ in: where, tells }) =>
      where === 'balances' &&
      [before.account, row.account].some((account) => tells.includes(account)),
  };
}

function inTile(random: Random): Change {
  const tile = random.of(copy.tiles.tiles);
  const before = { ...tile };
  const isPlace = tile.firstPosition !== null && random.below(20) === 0;
  if (isPlace) tile.firstPosition = (tile.firstPosition ?? 0n) ^ (1n << BigInt(random.below(20)));
  else tile.hashes = withByte(tile.hashes, random);
  return {
    what: `${isPlace ? 'the position' : 'a hash'} of a tile of ${tile.tree}`,
    undo: () => Object.assign(tile, before),
    names: ({ in: where, tells }) =>
      where === 'audit_tiles' || (where === 'events' && tells.includes('it is not what was noted')),
  };
}

function inMessage(random: Random): Change {
  const row = random.of(copy.messages.rows);
  const before = { ...row };
  const member = random.of([
    'id',
    'stream',
    'keyId',
    'ownKey',
    'ciphertext',
    'ciphertext',
  ] as const);
  if (member === 'ownKey') row.ownKey = withByte(row.ownKey ?? Buffer.of(0), random);
  else if (member === 'ciphertext') row.ciphertext = withByte(row.ciphertext, random);
  else row[member] = withLetter(row[member], random);
  return {
    what: `${member} of a message of ${before.stream}`,
    undo: () => Object.assign(row, before),
    names: ({ in: where, stream }) => where === 'events' && stream === before.stream,
  };
}

function withByte(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const at = random.below(bytes.length);
  changed[at] = (changed[at] ?? 0) ^ (1 + random.below(255));
  return changed;
}

/** @param isNumber true if Postgres accepts only digits there */
function withLetter(text: string, random: Random, isNumber = false): string {
  const at = random.below(text.length);
  const letters = isNumber
    ? '0123456789'
    : '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:~';
  const others = letters.replace(text.charAt(at), '');
  return text.slice(0, at) + others.charAt(random.below(others.length)) + text.slice(at + 1);
}
