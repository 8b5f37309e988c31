import { type Command } from 'commander';
import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import {
  channelOf,
  reconciliationStream,
  type ReconciliationRecorded,
} from '#domain/reconciliation';
import { Database } from '#infra/postgres';
import { railNameOf } from '#shared/glossary';
import {
  type DifferenceNote,
  differenceNotes,
  listReconciliations,
  settledSince,
} from '#views/reconciliations';
import { withApp } from '../../app.js';
import { money } from '../../money.js';
import { printJson, printLines } from '../../print.js';
import { findingWords, wasNotOver } from '../../reconcile/report-text.js';
import { Refused } from '../../refused.js';
import { section, table } from '../../table.js';
import { withheldOf, withheldWords } from '../../withheld.js';
import { plainCommand } from '../plain-command.js';
import { parseCorrectionId } from '../../options.js';

export type Recorded = RecordedEvent<ReconciliationRecorded>;

export const show = plainCommand(
  'show',
  'shows a recorded reconciliation: who, with which file, and the open lines',
  'reconcile show 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e',
)
  .argument('<id>', 'its id, which reconcile printed', parseCorrectionId)
  .action(async (id: string, _options: object, command: Command) => {
    const { recorded, ...since } = await withApp(async (app) => {
      const database = app.get(Database);
      const found = await listReconciliations(database, { id, limit: 1 });
      const [listed] = found.reconciliations;
      if (!listed)
        throw new Refused([
          'no such reconciliation: npx pesapost reconcile list',
          ...withheldWords(await withheldOf(database, {})),
        ]);
      const store = app.get<EventStore>(EventStore);
      const [event] = await store.readStream<ReconciliationRecorded>(
        reconciliationStream,
        listed.revision,
        1,
      );
      const settled = event && (await settledSince(database, event.data, event.recordedAt));
      const notes = event ? await differenceNotes(database, event.data) : [];
      const { wasOver } = listed;
      return { recorded: event, wasOver, settled: settled ?? new Set<number>(), notes };
    });
    if (!recorded) throw new Refused(['its event is not in the log: npx pesapost verify']);
    if (command.optsWithGlobals<{ readonly json?: true }>().json)
      printJson(jsonOf(recorded, since));
    else printLines(textOf(recorded, since));
  });

/** Facts that are newer than the record. */
export interface Since {
  readonly wasOver: boolean;
  /** Places of the lines that were settled since, in the list of open lines (REC-34). */
  readonly settled: ReadonlySet<number>;
  /** Notes about open lines of the day, the oldest first (REC-35). */
  readonly notes: readonly DifferenceNote[];
}

/** The reconciliation as lines for a person. */
export function textOf(
  { id, data, metadata, recordedAt }: Recorded,
  { wasOver, settled, notes }: Since,
): readonly string[] {
  const { currency } = data;
  const amount = (minor: bigint): string => money(minor, currency);
  return [
    `reconciliation ${id}: account ${data.accountNo} (${data.mode}), ${data.date}, merchant ${data.merchantId}`,
    `by ${metadata.actor.id}${data.by === 'merchant' ? ', of the merchant’s people,' : ''} at ${recordedAt}, ledger as of position ${data.position}`,
    ...(wasOver ? [] : [wasNotOver]),
    `${railNameOf(channelOf(data))} statement: ${data.fileLines} lines, sha256 ${data.fileSha256}, in ${amount(data.statementInMinor)}, out ${amount(data.statementOutMinor)}`,
    `ledger: ${data.collections} collections ${amount(data.collectionsMinor)}, fees ${amount(data.collectionFeesMinor)}; ` +
      `${data.payouts} payouts ${amount(data.payoutsMinor)}, fees ${amount(data.payoutFeesMinor)}`,
    '',
    ...table(
      ['finding', 'count', 'in', 'out', 'items'],
      data.tallies.map((tally) => [
        findingWords[tally.finding],
        String(tally.count),
        amount(tally.inMinor),
        amount(tally.outMinor),
        String(tally.items),
      ]),
    ),
    ...section(
      `open: ${data.open}`,
      data.openNamed.map(({ finding, receipt = '-', reference = '-', amountMinor, mayBe }, index) =>
        [findingWords[finding], receipt, reference, amount(amountMinor)]
          .concat(settled.has(index) ? 'settled since: reconcile the day again' : [])
          .concat(!settled.has(index) && mayBe ? `may be ${mayBe.join(' or ')}` : [])
          .join('  '),
      ),
    ),
    ...section(
      `notes: ${notes.length}`,
      notes.map(({ at, person, note, lines }) =>
        [at, person, ...lines.map(({ receipt, stream }) => receipt ?? stream ?? '-'), note].join(
          '  ',
        ),
      ),
    ),
  ];
}

/** The reconciliation as members of JSON. */
export function jsonOf(
  { id, data, metadata, recordedAt }: Recorded,
  { wasOver, settled, notes }: Since,
): object {
  return {
    id,
    recorded_at: recordedAt,
    operator: metadata.actor.id,
    by: data.by ?? null,
    merchant_id: data.merchantId,
    mode: data.mode,
    account_no: data.accountNo,
    currency: data.currency,
    channel: channelOf(data),
    date: data.date,
    day_was_over: wasOver,
    position: data.position,
    file: { sha256: data.fileSha256, lines: data.fileLines },
    statement: { in_minor: data.statementInMinor, out_minor: data.statementOutMinor },
    ledger: {
      collections: {
        count: data.collections,
        amount_minor: data.collectionsMinor,
        fee_minor: data.collectionFeesMinor,
      },
      payouts: {
        count: data.payouts,
        amount_minor: data.payoutsMinor,
        fee_minor: data.payoutFeesMinor,
      },
    },
    findings: data.tallies.map((tally) => ({
      finding: tally.finding,
      count: tally.count,
      lines: tally.lines,
      in_minor: tally.inMinor,
      out_minor: tally.outMinor,
      items: tally.items,
      amount_minor: tally.itemsMinor,
      fee_minor: tally.feesMinor,
    })),
    open: data.open,
    open_named: data.openNamed.map((open, index) => ({
      finding: open.finding,
      receipt: open.receipt ?? null,
      stream: open.stream ?? null,
      reference: open.reference ?? null,
      amount_minor: open.amountMinor,
      settled_since: settled.has(index),
      may_be: open.mayBe ?? [],
      may_be_others: open.mayBeOthers ?? false,
    })),
    notes: notes.map(({ at, person, note, lines }) => ({
      at,
      operator: person,
      note,
      lines: lines.map(({ finding, receipt, stream }) => ({
        finding,
        receipt: receipt ?? null,
        stream: stream ?? null,
      })),
    })),
    other_day: data.otherDay,
  };
}
