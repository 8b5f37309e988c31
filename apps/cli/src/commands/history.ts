import { correctionStream } from '#domain/corrections';
import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type Mode, modes } from '#domain/kernel';
import { payoutBatchStream } from '#domain/payouts';
import { itemStream } from '#desk/operators';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { withApp } from '../app.js';
import { eventJson } from '../case/case-json.js';
import { actorText, dataText } from '../case/case-text.js';
import { batchNamed, itemNamed, unknown } from '../case/named.js';
import { money } from '../money.js';
import { parseCorrectionId } from '../options.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { table } from '../table.js';
import { plainCommand, type MerchantAndModeOptions, withMerchantAndMode } from './plain-command.js';

const kinds = ['collection', 'payout', 'batch', 'correction'] as const;
type Kind = (typeof kinds)[number];

interface HistoryOptions extends MerchantAndModeOptions {
  readonly type?: Kind;
}

export const history = withMerchantAndMode(
  plainCommand(
    'history',
    'the events of a collection or payout: time, actor and amount; the evidence stays sealed (npx pesapost evidence show)',
    'history INV-1001 --merchant M --mode demo',
  ),
)
  .argument('<word>', 'a reference, or whatever else npx pesapost find takes; a correction’s id')
  .addOption(
    new Option(
      '--type <type>',
      'needed if a collection and a payout have the same reference, and for a batch or a correction',
    ).choices(kinds),
  )
  .action(async (word: string, options: HistoryOptions) => {
    const { stream, events } = await withApp(async (app) => {
      const named = await streamNamed(app, word, options);
      return { stream: named, events: await app.get<EventStore>(EventStore).readStream(named) };
    });
    if (events.length === 0) throw new Refused([unknown({ reference: word, ...options })]);
    if (options.json) printJson({ stream, events: events.map(jsonOf) });
    else printLines([stream, ...textOf(events)]);
  });

/** @throws Refused if there is none, or more than one */
export async function streamNamed(
  app: INestApplicationContext,
  word: string,
  options: HistoryOptions,
): Promise<string> {
  const { type, ...whose } = options;
  if (type === 'correction') return correctionNamed(app, word, whose.mode);
  if (type === 'batch')
    return payoutBatchStream(await batchNamed(app, { reference: word, ...whose }));
  const ofType = type === undefined ? {} : { type };
  return itemStream(await itemNamed(app, { reference: word, ...whose, ...ofType }));
}

async function correctionNamed(
  app: INestApplicationContext,
  word: string,
  mode: Mode | undefined,
): Promise<string> {
  const store = app.get<EventStore>(EventStore);
  const id = correctionId(word);
  for (const each of mode === undefined ? modes : [mode]) {
    const stream = correctionStream({ mode: each, id });
    if ((await store.readStream(stream, 0n, 1)).length > 0) return stream;
  }
  throw new Refused(['no such correction: npx pesapost correction list']);
}

/** @throws Refused */
function correctionId(word: string): string {
  try {
    return parseCorrectionId(word);
  } catch {
    throw new Refused([`${word} is no correction’s id: npx pesapost correction list`]);
  }
}

/** Members that have columns of their own. */
const elsewhere: ReadonlySet<string> = new Set(['amountMinor', 'feeMinor', 'currency']);

function textOf(events: readonly RecordedEvent[]): readonly string[] {
  const currency = currencyOf(events);
  const lines = table(
    ['#', 'time', 'position', 'event', 'by', 'amount', 'fee', 'what'],
    events.map((event) => [
      String(event.revision),
      event.recordedAt,
      String(event.position),
      event.type,
      actorText(event),
      amountText(event, 'amountMinor', currency),
      amountText(event, 'feeMinor', currency),
      dataText(event, elsewhere),
    ]),
  );
  // The commitment to its evidence is shown under each event, once if events of one append share it.
  const [heading = '', ...rows] = lines;
  let before: string | undefined;
  return [
    heading,
    ...rows.flatMap((row, index) => {
      const commitment = events[index]?.metadata.commitment;
      const isShown = commitment !== undefined && commitment !== before;
      before = commitment;
      return isShown ? [row, `     evidence: sealed, commitment ${commitment}`] : [row];
    }),
  ];
}

/** The currency of the first event, which always names it. */
function currencyOf([first]: readonly RecordedEvent[]): string {
  const data = first?.data ?? {};
  return 'currency' in data ? String(data.currency) : '';
}

function amountText(
  { data }: RecordedEvent,
  name: 'amountMinor' | 'feeMinor',
  currency: string,
): string {
  const amount = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof amount !== 'bigint') return '';
  return currency === '' ? amount.toString() : (money(amount, currency).split(' (')[0] ?? '');
}

function jsonOf(event: RecordedEvent): object {
  const { v: version, causationId, evidence, commitment } = event.metadata;
  return {
    ...eventJson(event),
    version,
    causation_id: causationId ?? null,
    // To open the evidence is an act of its own (EVT-43).
    evidence: evidence ? { key_id: evidence.keyId, commitment } : null,
  };
}
