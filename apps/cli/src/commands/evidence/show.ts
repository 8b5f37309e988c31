import { EventStore } from '#domain/event-sourcing';
import {
  type CheckedMessage,
  type Contents,
  maxMessages,
  type Naming,
  OpenedMessages,
} from '#adapters/audit';
import { Database } from '#infra/postgres';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import {
  evidenceJson,
  evidenceLines,
  openedEvidence,
  standings,
} from '../../case/opened-evidence.js';
import { loadedKeyring } from '../../keyring.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { streamNamed } from '../history.js';
import { type MerchantAndModeOptions, withMerchantAndMode } from '../plain-command.js';

const kinds = ['collection', 'payout', 'batch'] as const;

interface ShowOptions extends ChangeOptions, MerchantAndModeOptions {
  readonly type?: (typeof kinds)[number];
}

export const show = withMerchantAndMode(
  change(
    'show',
    'shows the bytes that a merchant signed and the rail sent for a collection or payout, and if they verify; each use is recorded as an event',
    'evidence show INV-1001 --merchant M --mode demo --reason "dispute 4711"',
  ),
)
  .argument('<reference>', 'the reference of a collection, a payout or a batch of payouts')
  .addOption(
    new Option(
      '--type <type>',
      'needed if several have the same reference, and for a batch',
    ).choices(kinds),
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

/** @throws Refused */
async function opened(
  app: INestApplicationContext,
  reference: string,
  options: ShowOptions,
): Promise<Shown> {
  const stream = await streamNamed(app, reference, options);
  const kept = new OpenedMessages({
    database: app.get(Database),
    store: app.get<EventStore>(EventStore),
    bus: app.get(CommandBus),
    keyring: await loadedKeyring(app),
  });
  const checked = await kept.open(stream, operatorMetadata(options));
  if (!checked.ok) throw new Refused([refusals[checked.refusal]]);
  return { stream, checked: checked.value };
}

const refusals = {
  nothing_kept:
    'no message is stored: it is older than EVIDENCE_RETENTION, or was recorded before messages were stored',
  too_many: `more than ${maxMessages} messages are kept of it: somebody floods it`,
} as const;

function directionOf({ kind }: CheckedMessage['message']): string {
  return kind === 'request' ? 'merchant → us' : 'rail → us';
}

function textOf(stream: string, checked: readonly CheckedMessage[]): readonly string[] {
  return [
    `${stream}: ${checked.length} message${checked.length === 1 ? '' : 's'}`,
    ...checked.flatMap(({ message, contents, named }, index) => [
      '',
      `${index + 1}  ${message.receivedAt.toISOString()}  ${directionOf(message)}  ${message.kind.replace('_', ' ')}`,
      ...(named.length === 0 ? ['   no event names it'] : named.flatMap(namingLines)),
      ...contentsText(message, contents),
    ]),
  ];
}

const commitments = {
  held: 'holds',
  broken: 'is NOT of this evidence',
  sealed: 'valid; its evidence cannot be opened',
} as const satisfies Record<Naming['commitmentIs'], string>;
const digests = {
  matches: ', the bytes are those of the event',
  differs: ', the bytes are NOT those of the event',
  not_checked: '',
} as const satisfies Record<Naming['digest'], string>;

function namingLines({
  event,
  commitment,
  commitmentIs,
  digest,
  signature,
  members,
}: Naming): readonly string[] {
  const signed = signature === undefined ? '' : `, ${standings[signature]}`;
  const naming = `   ${event}: commitment ${commitment} ${commitments[commitmentIs]}${digests[digest]}${signed}`;
  const told = members ? evidenceLines(openedEvidence(members)) : [];
  return [naming, ...told.map((line) => `     ${line}`)];
}

function contentsText(
  { erasedAt }: CheckedMessage['message'],
  contents: Contents,
): readonly string[] {
  switch (contents.state) {
    case 'opened':
      return printable(contents.bytes)
        .split('\n')
        .map((line) => `   ${line}`);
    case 'erased':
      return [
        `   erased${erasedAt ? ` at ${erasedAt.toISOString()}` : ''}: it can never be read again`,
      ];
    case 'sealed':
      return ['   sealed: its data key was dropped, or the row is damaged'];
  }
}

/** The bytes come from outside, so characters that would control a terminal are written as escapes. */
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
    named_by: named.map(({ event, commitment, commitmentIs, digest, signature, members }) => ({
      event,
      commitment,
      commitment_is: commitmentIs,
      digest,
      ...(signature === undefined ? {} : { signature }),
      ...(members === undefined ? {} : evidenceJson(openedEvidence(members))),
    })),
    text: contents.state === 'opened' ? contents.bytes.toString('utf8') : null,
    base64: contents.state === 'opened' ? contents.bytes.toString('base64') : null,
  };
}
