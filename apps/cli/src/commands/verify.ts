import { EventStore } from '#domain/event-sourcing';
import { AcceptedLosses, LossLists } from '#domain/losses';
import { Database } from '#infra/postgres';
import {
  type Difference,
  type EvidenceOptions,
  type VerifyProgress,
  type VerifyReport,
  verifyViews,
} from '#views/verification';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import { keptMessages } from '../kept-messages.js';
import { loadedKeyring } from '../keyring.js';
import { parseCount } from '../options.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { holdsMessage } from '#adapters/audit';
import { plainCommand } from './plain-command.js';
import { quarantineJson, quarantineLines } from './projection/list.js';

interface VerifyCommandOptions {
  readonly max: number;
  readonly evidence?: true;
  readonly json?: true;
}

export const verify = plainCommand(
  'verify',
  'compares balances, ledger entries, list, payouts and idempotency claims with the whole event history',
  'verify',
)
  .option('--max <n>', 'differences named at most; all are counted', parseCount, 100)
  .option(
    '--evidence',
    'opens each message that events name and compares it with its event; about a hundred thousand a minute',
  )
  .action(async ({ max, evidence: opens, json }: VerifyCommandOptions) => {
    const report = await withApp(async (app) =>
      verifyViews({
        store: app.get(EventStore),
        database: app.get(Database),
        maxNamed: max,
        evidence: await evidenceOptions(app, opens === true),
        accepted: await AcceptedLosses.load(app.get(EventStore), app.get(LossLists)),
        ...(process.stderr.isTTY ? { onProgress: showProgress } : {}),
      }),
    );
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    if (json) printJson(jsonOf(report));
    else printLines(textOf(report));
    if (report.quarantines.length > 0 && report.differences === 0)
      throw new Refused([
        `${number(report.quarantines.length, 'quarantine')}: see projection quarantine list`,
      ]);
    if (report.differences > 0)
      throw new Refused([
        `${number(report.differences, 'difference')}: Postgres does not hold what the log says`,
      ]);
  });

/** The retention of messages and, if they are opened, a check with all available keys. */
async function evidenceOptions(
  app: INestApplicationContext,
  opens: boolean,
): Promise<EvidenceOptions> {
  const kept = await keptMessages(app.get(Database));
  if (!opens) return kept;
  const keyring = await loadedKeyring(app);
  return { ...kept, check: (event, message) => holdsMessage(event, message, keyring) };
}

function showProgress({ events, position, upTo }: VerifyProgress): void {
  const percent = upTo === 0n ? 100n : (position * 100n) / upTo;
  process.stderr.write(`\r${count(events)} events, ${percent} %`);
}

function textOf(report: VerifyReport): readonly string[] {
  const { events, collections, postings, ledgerEntries, balances, claims, claimsLost } = report;
  return [
    ...report.named.map(lineOf),
    ...(report.named.length < report.differences
      ? [`… and ${count(report.differences - report.named.length)} more`]
      : []),
    `compared ${number(events, 'event')}: ${number(collections, 'collection')}, ` +
      `${number(postings, 'posting')} (${count(ledgerEntries)} ledger entries), ` +
      `${number(balances, 'balance')}, ${number(claims, 'idempotency claim')}` +
      (claimsLost === 0 ? '' : ` (${count(claimsLost)} accepted as lost)`),
    `${number(report.corrections, 'correction')}, ${number(report.openReservations, 'reservation')} not taken yet, ` +
      `${number(report.openPayouts, 'payout')} that may still be paid`,
    ...evidenceText(report),
    `up to position ${report.position} in ${report.seconds.toFixed(1)} s; ${standing(report)}`,
    ...noteOfClaims(report),
    ...(report.quarantines.length === 0
      ? []
      : [
          `${number(report.quarantined, 'event')} held back by quarantines:`,
          ...quarantineLines(report.quarantines),
        ]),
    ...(report.differences === 0 ? ['no differences'] : []),
  ];
}

function evidenceText({ evidence }: VerifyReport): readonly string[] {
  if (!evidence) return [];
  const { compared, opened, erased, expired, lost, sealed, answersMissing } = evidence;
  const parts = [
    ...(opened === undefined ? [] : [`${count(opened)} opened and as their events say`]),
    ...(erased === 0 ? [] : [`${count(erased)} erased`]),
    ...(lost === 0 ? [] : [`${count(lost)} accepted as lost`]),
    ...(expired === 0 ? [] : [`${count(expired)} older than they are kept`]),
    ...(sealed === 0 ? [] : [`${count(sealed)} that cannot be opened: their data key is gone`]),
  ];
  return [
    `${number(compared, 'message')} that events name${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`,
    ...(answersMissing === 0
      ? []
      : [
          `note: ${number(answersMissing, 'answer')} of the rail to pushes without their bytes: a process ended before it had written them`,
        ]),
  ];
}

function standing({ position, head }: VerifyReport): string {
  return position < head
    ? `the views are behind the log, which went on to ${head}`
    : 'the views hold all of the log';
}

function noteOfClaims({ claimsWithoutCollection, claimsForgotten }: VerifyReport): string[] {
  if (claimsWithoutCollection === 0) return [];
  const atLeast = claimsForgotten > 0 ? 'at least ' : '';
  return [
    `note: ${atLeast}${number(claimsWithoutCollection, 'idempotency claim')} without a collection: ` +
      'their calls ended before anything was recorded or pushed',
  ];
}

function lineOf(difference: Difference): string {
  const { table, field, expected, found, position, stream, reference, account } = difference;
  const where = [
    reference === undefined ? undefined : `reference ${reference}`,
    account,
    stream,
    position === undefined ? undefined : `position ${position}`,
  ].filter((part) => part !== undefined);
  return `${table}.${field}: expected ${expected ?? 'nothing'}, found ${found ?? 'nothing'} (${where.join(', ')})`;
}

function jsonOf(report: VerifyReport): object {
  return {
    position: report.position,
    head: report.head,
    behind: report.position < report.head,
    events: report.events,
    collections: report.collections,
    postings: report.postings,
    corrections: report.corrections,
    open_reservations: report.openReservations,
    open_payouts: report.openPayouts,
    shared_receipts: report.sharedReceipts,
    ledger_entries: report.ledgerEntries,
    balances: report.balances,
    claims: report.claims,
    claims_lost: report.claimsLost,
    claims_without_collection: report.claimsWithoutCollection,
    claims_forgotten: report.claimsForgotten,
    evidence: report.evidence && {
      compared: report.evidence.compared,
      opened: report.evidence.opened ?? null,
      erased: report.evidence.erased,
      expired: report.evidence.expired,
      lost: report.evidence.lost,
      sealed: report.evidence.sealed,
      answers_missing: report.evidence.answersMissing,
    },
    quarantines: report.quarantines.map(quarantineJson),
    held_back: report.quarantined,
    seconds: report.seconds,
    differences: report.differences,
    differences_by_table: Object.fromEntries(report.differencesByTable),
    named: report.named,
  };
}

function number(of: number, what: string): string {
  return `${count(of)} ${what}${of === 1 ? '' : 's'}`;
}

function count(of: number): string {
  return of.toLocaleString('en');
}
