import { type Mode } from '#domain/kernel';
import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { OpenEvidence } from '#domain/evidence';
import { payoutBatchStream } from '#domain/payouts';
import { loadDataKeys } from '#adapters/keys';
import { digestOfMessages, findMessages, type StoredMessage } from '#adapters/records';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { batchNamed } from '../../case/batch-case.js';
import { itemStream } from '../../case/item.js';
import { itemNamed } from '../../case/load-case.js';
import { publicKeysOf, standings } from '../../case/opened-evidence.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { parseMode } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import {
  checkMessage,
  type CheckedMessage,
  type Contents,
  type Naming,
} from './checked-message.js';

const kinds = ['collection', 'payout', 'batch'] as const;

interface ShowOptions extends ChangeOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly type?: (typeof kinds)[number];
}

/** More than any item has that is not under attack. */
const maxMessages = 1000;

export const show = change(
  'show',
  'the bytes that a merchant signed and the rail sent about a collection or payout, and whether they check; showing them is an event',
  'evidence show INV-1001 --merchant M --mode demo --as amina --reason "dispute 4711"',
)
  .argument('<reference>', 'of a collection, a payout or a batch of payouts')
  .option('--merchant <id>', 'the merchant’s id')
  .addOption(new Option('--mode <mode>', 'live or demo').argParser(parseMode))
  .addOption(
    new Option('--type <type>', 'where several have the reference; a batch is named by it').choices(
      kinds,
    ),
  )
  .action(async (reference: string, options: ShowOptions) => {
    const { stream, checked } = await withApp((app) => opened(app, reference, options));
    if (options.json) printJson({ stream, messages: checked.map(jsonOf) });
    else printLines(textOf(stream, checked));
  });

interface Shown {
  readonly stream: string;
  readonly checked: readonly CheckedMessage[];
}

/** The event stands before anything is opened. @throws Refused */
async function opened(
  app: INestApplicationContext,
  reference: string,
  options: ShowOptions,
): Promise<Shown> {
  const stream = await streamNamed(app, reference, options);
  const messages = await findMessages(app.get(Database), stream, maxMessages + 1);
  if (messages.length === 0)
    throw new Refused([
      'nothing is kept of it: it is older than EVIDENCE_RETENTION, or was recorded before messages were kept',
    ]);
  if (messages.length > maxMessages)
    throw new Refused([`more than ${maxMessages} messages are kept of it: somebody floods it`]);
  const note = { stream, messages: messages.length, digest: digestOfMessages(messages) };
  await app.get(CommandBus).execute(new OpenEvidence(note, operatorMetadata(options)));
  return { stream, checked: await check(app, messages, stream) };
}

async function streamNamed(
  app: INestApplicationContext,
  reference: string,
  { type, merchant, mode }: ShowOptions,
): Promise<string> {
  const named = {
    reference,
    ...(merchant === undefined ? {} : { merchant }),
    ...(mode === undefined ? {} : { mode }),
  };
  if (type === 'batch') return payoutBatchStream(await batchNamed(app, named));
  return itemStream(await itemNamed(app, { ...named, ...(type === undefined ? {} : { type }) }));
}

async function check(
  app: INestApplicationContext,
  messages: readonly StoredMessage[],
  stream: string,
): Promise<readonly CheckedMessage[]> {
  const [database, keyring, store] = [app.get(Database), app.get(Keyring), app.get(EventStore)];
  await loadDataKeys(database, keyring, createLogger({ app: 'cli', level: 'silent' }));
  const events: RecordedEvent[] = [];
  // The request of a batch's payout is named by the batch's events.
  for (const each of new Set([stream, ...messages.map((message) => message.stream)]))
    events.push(...(await store.readStream(each)));
  const [first] = events;
  const merchantId = first && 'merchantId' in first.data ? String(first.data.merchantId) : '';
  const keys = { keyring, publicKeys: await publicKeysOf(app, merchantId) };
  return messages.map((message) => checkMessage(message, events, keys));
}

const directions = { request: 'merchant → us' } as const;

function directionOf({ kind }: StoredMessage): string {
  return kind in directions ? directions.request : 'rail → us';
}

function textOf(stream: string, checked: readonly CheckedMessage[]): readonly string[] {
  return [
    `${stream}: ${checked.length} message${checked.length === 1 ? '' : 's'}`,
    ...checked.flatMap(({ message, contents, named }, index) => [
      '',
      `${index + 1}  ${message.receivedAt.toISOString()}  ${directionOf(message)}  ${message.kind.replace('_', ' ')}`,
      ...(named.length === 0
        ? ['   no event names it']
        : named.map((each) => `   ${namingText(each)}`)),
      ...contentsText(message, contents),
    ]),
  ];
}

const commitments = {
  held: 'holds',
  broken: 'is NOT of this evidence',
  sealed: 'stands; its evidence cannot be opened',
} as const satisfies Record<Naming['commitmentIs'], string>;
const digests = {
  matches: ', the bytes are those of the event',
  differs: ', the bytes are NOT those of the event',
  not_checked: '',
} as const satisfies Record<Naming['digest'], string>;

function namingText({ event, commitment, commitmentIs, digest, signature }: Naming): string {
  const signed = signature === undefined ? '' : `, ${standings[signature]}`;
  return `${event}: commitment ${commitment} ${commitments[commitmentIs]}${digests[digest]}${signed}`;
}

function contentsText({ erasedAt }: StoredMessage, contents: Contents): readonly string[] {
  switch (contents.state) {
    case 'opened':
      return printable(contents.bytes)
        .split('\n')
        .map((line) => `   ${line}`);
    case 'erased':
      return [`   erased${erasedAt ? ` at ${erasedAt.toISOString()}` : ''}: nobody can read it`];
    case 'sealed':
      return ['   sealed: its data key was dropped, or the row is damaged'];
  }
}

/** Bytes come from outside: what would steer a terminal is written out. */
function printable(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (mark) =>
      mark === '\n' ? mark : `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
    );
}

function jsonOf({ message, contents, named }: CheckedMessage): object {
  return {
    id: message.id,
    kind: message.kind,
    direction: message.kind === 'request' ? 'from_merchant' : 'from_rail',
    stream: message.stream,
    received_at: message.receivedAt.toISOString(),
    erased_at: message.erasedAt?.toISOString() ?? null,
    state: contents.state,
    named_by: named.map(({ event, commitment, commitmentIs, digest, signature }) => ({
      ...{ event, commitment, commitment_is: commitmentIs, digest },
      ...(signature === undefined ? {} : { signature }),
    })),
    text: contents.state === 'opened' ? contents.bytes.toString('utf8') : null,
    base64: contents.state === 'opened' ? contents.bytes.toString('base64') : null,
  };
}
