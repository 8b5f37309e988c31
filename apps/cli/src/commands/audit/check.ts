import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EventStore } from '#domain/event-sourcing';
import {
  type ArchivedHead,
  checkHistory,
  type CheckProgress,
  type CheckReport,
  type Fault,
  RecordedMessages,
  RecordedTiles,
  sealMarginMs,
  StoredLedger,
  type TrustedKey,
} from '#adapters/audit';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { fingerprintOf } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../../app.js';
import { keptMessages } from '../../kept-messages.js';
import { loadedKeyring } from '../../keyring.js';
import { parseCount } from '../../options.js';
import { recordAuditCheck } from '#records/operations';
import { endProgress, printJson, printLines, showProgress } from '../../print.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { plainCommand } from '../plain-command.js';
import { causesOf, type Folded, isCause } from './causes.js';
import { archivedHeadIn } from './prove.js';

interface CheckCommandOptions {
  readonly key?: readonly string[];
  readonly head?: readonly string[];
  readonly max: number;
  readonly all?: true;
  readonly json?: true;
}

export const check = plainCommand(
  'check',
  'reads the whole history and checks it against heads, chains, balances, evidence and signatures; exit code 1 if it finds a fault',
  'audit check --key public.pem',
)
  .option(
    '--key <file...>',
    'the only public keys (PEM) that may have signed heads; FILE@2026-11-03 for a key that was valid up to that day’s head',
  )
  .option('--head <file...>', 'heads that were kept: each must be among those of the service')
  .option('--max <n>', 'faults named at most; all are counted', parseCount, 100)
  .option('--all', 'prints a line for each fault; without it, only the causes are shown in full')
  .action(async ({ key, head, max, all, json }: CheckCommandOptions) => {
    const trusted = {
      ...(key && { trustedKeys: await Promise.all(key.map(trustedKeyOf)) }),
      ...(head && {
        archivedHeads: await Promise.all(
          head.map(async (file) => ({ head: await archivedHeadIn(file) })),
        ),
      }),
    };
    const report = await withApp((app) => checkedAndKept(app, max, trusted)).finally(endProgress);
    if (json) printJson(jsonOf(report));
    else printLines(textOf(report, all === true));
    if (report.faults > 0)
      throw new Refused([`${report.faults} faults: history is not what it was`]);
    if (report.isLedgerQuarantined)
      throw new Refused([
        `incomplete: something is held back, or not linked yet since it was, so no ledger entry behind position ${report.ledgerPosition} and no balance was compared (npx pesapost projection quarantine list)`,
      ]);
  });

/** Checks and stores the result. Status reports a failed check until one passes (OPS-56). */
async function checkedAndKept(
  app: INestApplicationContext,
  maxNamed: number,
  trusted: Trusted,
): Promise<CheckReport> {
  const report = await checkIn(app, maxNamed, trusted);
  const [first] = causesOf(report.named);
  const cause = first === undefined ? '' : lineOf(first.fault);
  await recordAuditCheck(app.get(Database), { faults: report.faults, cause });
  return report;
}

async function checkIn(
  app: INestApplicationContext,
  maxNamed: number,
  trusted: Trusted,
): Promise<CheckReport> {
  const { platformTimezone: timezone } = settingsOrRefused();
  const [database, keyring] = [app.get(Database), await loadedKeyring(app, 'error')];
  const { nowMs, keptSinceMs } = await keptMessages(database);
  return checkHistory({
    log: app.get(EventStoreDb),
    store: app.get<EventStore>(EventStore),
    maxNamed,
    tiles: new RecordedTiles(database),
    ledger: new StoredLedger(database),
    evidence: { keyring, messages: new RecordedMessages(database), keptSinceMs },
    ...trusted,
    days: { timezone, nowMs, marginMs: sealMarginMs },
    onProgress: progressLine(),
  });
}

/** Keys and heads that the checking person has from elsewhere. */
interface Trusted {
  readonly trustedKeys?: readonly TrustedKey[];
  readonly archivedHeads?: readonly ArchivedHead[];
}

/**
 * @param given a file, perhaps followed by `@` and the last day whose head its key may have signed
 * @throws Refused
 */
async function trustedKeyOf(given: string): Promise<TrustedKey> {
  const [, file = given, lastDay] = /^(.+)@(\d{4}-\d\d-\d\d)$/.exec(given) ?? [];
  if (lastDay !== undefined && Number.isNaN(Date.parse(lastDay)))
    throw new Refused([`${given}: there is no day ${lastDay}`]);
  try {
    const der = createPublicKey(await readFile(file)).export({ type: 'spki', format: 'der' });
    const keyId = fingerprintOf(der.toString('base64'));
    return { keyId, ...(lastDay !== undefined && { lastDay }) };
  } catch {
    throw new Refused([`${file} holds no public key in PEM`]);
  }
}

/** Events a second, and the time left, on one line of a terminal. */
function progressLine(): (progress: CheckProgress) => void {
  const begunAt = performance.now();
  return ({ events, position, upTo }) => {
    const seconds = (performance.now() - begunAt) / 1000;
    const percent = upTo === 0n ? 100n : (position * 100n) / upTo;
    const left =
      percent === 0n
        ? ''
        : `, ${Math.ceil((seconds * Number(upTo - position)) / Number(position))} s left`;
    showProgress(`${events.toLocaleString('en')} events, ${percent} %${left}`);
  };
}

function textOf(report: CheckReport, all: boolean): readonly string[] {
  const { events, postings, ledgerEntries, evidence, heads, sealedTo, unsealed, named } = report;
  return [
    ...(all ? named.map(lineOf) : foldedLines(causesOf(named))),
    ...(named.length < report.faults ? [`… and ${report.faults - named.length} more`] : []),
    `checked ${count(events)} events in ${report.seconds.toFixed(1)} s: ${count(postings)} postings, ` +
      `${count(ledgerEntries)} ledger entries up to position ${report.ledgerPosition}`,
    `evidence: ${count(evidence.opened)} opened, ${count(evidence.sealed)} under keys that are gone, ` +
      (evidence.lost === 0 ? '' : `${count(evidence.lost)} accepted as lost, `) +
      `${count(evidence.messages)} messages and ${count(evidence.signatures)} signatures verified`,
    sealedTo === undefined
      ? 'no day is sealed yet: nothing shows that history is what it was'
      : `${count(heads)} heads up to ${sealedTo}, by ${report.keyIds.join(', ')}; ${count(unsealed)} events since are not sealed yet`,
    ...(report.faults === 0 && !report.isLedgerQuarantined ? ['no faults'] : []),
  ];
}

function foldedLines(folded: readonly Folded[]): readonly string[] {
  const line = ({ fault, others }: Folded): string =>
    others === 0 ? lineOf(fault) : `${lineOf(fault)}, and ${count(others)} more of this kind`;
  const causes = folded.filter((each) => isCause(each, folded));
  const effects = folded.filter((each) => !isCause(each, folded));
  return [
    ...causes.map(line),
    ...(effects.length === 0 ? [] : ['may follow from it (--all names each):']),
    ...effects.map((each) => `  ${line(each)}`),
  ];
}

function lineOf({ in: where, stream, eventId, position, date, tells }: Fault): string {
  const place = [
    stream,
    eventId === undefined ? undefined : `event ${eventId}`,
    position === undefined ? undefined : `position ${position}`,
    date === undefined ? undefined : `head of ${date}`,
  ].filter((part) => part !== undefined);
  return `${where}: ${tells}${place.length === 0 ? '' : ` (${place.join(', ')})`}`;
}

function jsonOf(report: CheckReport): object {
  return {
    events: report.events,
    postings: report.postings,
    ledger_entries: report.ledgerEntries,
    ledger_position: report.ledgerPosition,
    ledger_held_back: report.isLedgerQuarantined,
    evidence: report.evidence,
    heads: report.heads,
    sealed_to: report.sealedTo ?? null,
    unsealed: report.unsealed,
    key_ids: report.keyIds,
    seconds: report.seconds,
    faults: report.faults,
    named: report.named.map(({ eventId, ...fault }) => ({ ...fault, event_id: eventId ?? null })),
  };
}

function count(of: number): string {
  return of.toLocaleString('en');
}
