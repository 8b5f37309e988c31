import { once } from 'node:events';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { readableBefore } from '#views/balances';
import { projectedPrefixes } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { withApp } from '../app.js';
import { Refused } from '../refused.js';
import { plainCommand } from './plain-command.js';

interface EventsOptions {
  readonly from?: Position;
  readonly to?: Position;
  readonly stream: readonly string[];
  readonly type?: ReadonlySet<string>;
}

export const events = plainCommand(
  'events',
  'the log, one event per line as JSON (NDJSON), for other programs (EXP-1)',
  'events --stream collection-demo: --type WalletPosted --from 41822',
)
  .option(
    '--from <position>',
    'starts after this position; to continue, give the last line’s',
    parsePosition,
  )
  .option(
    '--to <position>',
    'ends at this position; by default, at the end of the log when the command starts',
    parsePosition,
  )
  .option(
    '--stream <prefix>',
    `only streams with this prefix; may be repeated: ${projectedPrefixes.join(', ')}`,
    parsePrefix,
    projectedPrefixes,
  )
  .option('--type <type>', 'only events of this type; may be repeated', parseType)
  .action((options: EventsOptions) => withApp((app) => write(app, options)));

function parsePosition(text: string): Position {
  if (!/^(0|[1-9]\d{0,17})$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return BigInt(text);
}

/**
 * The store filters by the prefix. A prefix that none of our events can have is a mistake, so the answer is not just
 * empty.
 */
function parsePrefix(text: string, before: readonly string[]): readonly string[] {
  // The default is the list of all prefixes, which means that none was given.
  const given = before === projectedPrefixes ? [] : before;
  return [...new Set([...given, ...prefixesOf(text)])];
}

function prefixesOf(text: string): readonly string[] {
  if (projectedPrefixes.some((prefix) => text.startsWith(prefix))) return [text];
  const longer = projectedPrefixes.filter((prefix) => text !== '' && prefix.startsWith(text));
  if (longer.length === 0)
    throw new InvalidArgumentError(`streams begin with ${projectedPrefixes.join(', ')}`);
  return longer;
}

function parseType(text: string, before: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  if (!Object.hasOwn(eventTypes, text))
    throw new InvalidArgumentError(`no event is called so: ${Object.keys(eventTypes).join(', ')}`);
  return new Set([...before, text]);
}

/** Characters that are written at once, for few system calls and little memory. */
const chunkLength = 65_536;

async function write(
  app: INestApplicationContext,
  { from = 0n, to, stream, type }: EventsOptions,
): Promise<void> {
  const store = app.get(EventStoreDb);
  const end = await store.end();
  for (const position of [from, to ?? 0n])
    if (position > end) throw new Refused([`position ${position} is beyond the log’s end, ${end}`]);
  if (to !== undefined && to < from)
    throw new Refused([`--to ${to} is before --from ${from}: the log is read forwards`]);
  process.stdout.on('error', stop);
  const after = await readableBefore(app.get(Database), from);
  let chunk = '';
  try {
    for await (const record of store.readStored(after, stream)) {
      // `from` may be any number, but the log is read from the position of an event. Events outside the filters need
      // not be readable, so the loop passes over an unreadable one.
      if (record.position <= from || (type && !type.has(record.type))) continue;
      if (record.position > (to ?? end)) break;
      chunk += lineOf(record.decode());
      if (chunk.length < chunkLength) continue;
      const whole = chunk;
      chunk = '';
      await flush(whole);
    }
  } finally {
    // Lines that were read before a failure are still written: a reader continues after its last line.
    await flush(chunk);
  }
}

/** Waits until the reader has taken it. */
async function flush(chunk: string): Promise<void> {
  if (chunk !== '' && !process.stdout.write(chunk)) await once(process.stdout, 'drain');
}

/** Ends the command if the reader has gone, as `head` does. If a disk is full, the flush fails instead. */
function stop({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(0);
}

/**
 * Writes an event as EXP-2 says. Sealed evidence is left out: without the keys it is useless, and its commitment is
 * still there.
 */
function lineOf(event: RecordedEvent): string {
  const { position, stream, revision, type, id, recordedAt, data, metadata } = event;
  const { v: version, evidence: _evidence, ...told } = metadata;
  const line = {
    position,
    stream,
    revision: Number(revision),
    type,
    version,
    id,
    recordedAt,
    data,
    metadata: told,
  };
  return `${JSON.stringify(line, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member))}\n`;
}
