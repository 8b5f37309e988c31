import { EventStore } from '#domain/event-sourcing';
import { eraseEvidence, EvidenceErasure, type PersonsEvidence } from '#domain/evidence';
import { Clock, concurrently, msFromInstant } from '#domain/kernel';
import { findStreamsOfNumber } from '#records/evidence';
import { Database } from '#infra/postgres';
import { parsePhone } from '#shared/signing';
import { findStreamsByPhone, type ItemEvent, transactionFrom } from '#views/transactions';
import { type Quarantine } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { CommanderError } from 'commander';
import { withApp } from '../../app.js';
import { itemOf } from '#desk/operators';
import { change, type ChangeOptions } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { makeOrPropose } from '../../propose.js';
import { Refused } from '../../refused.js';
import { OperatorsVault } from '../../review-ports.module.js';
import { settingsOrRefused } from '../../settings.js';
import { refuseWithheld, withheldOf, withheldWords } from '../../withheld.js';

interface EraseOptions extends ChangeOptions {
  readonly phone: string;
  readonly yes?: true;
}

/** Time after RAIL_REVIEW_AFTER in which the rail may still be asked. Until then a failed item may yet be paid. */
const lastQuestionMs = 24 * 3_600_000;
const streamsAtOnce = 16;
const maxNamed = 20;

export const erase = change(
  'erase',
  'drops the keys of one person’s messages, for good; commitments, seals and proofs still hold. Without --yes it only tells what would go. It takes two admins',
  'evidence erase --phone 254712345678 --reason "asked for it on 3 November" --yes',
)
  .requiredOption('--phone <number>', 'the person’s number; - reads it from standard input')
  .option('--yes', 'it cannot be taken back')
  .action(async (options: EraseOptions) => {
    const phone = await phoneOf(options.phone);
    const { withheld, found } = await withApp((app) => erasableOf(app, phone, options));
    const gone = await makeOrPropose(eraseEvidence, found, options, {
      nothing_there: nothingThere,
    });
    const done = { messages: gone?.value.erased ?? 0, streams: found.streams.length };
    if (!gone) return;
    if (options.json) printJson({ erased: true, ...done });
    else
      printLines([
        `erased: ${done.messages} messages of ${done.streams} collections and payouts; they can never be read again`,
      ]);
    // When those views continue, the command finds the rest.
    refuseWithheld(withheld);
  });

/** Reads the number, which is never in a message of ours. */
async function phoneOf(option: string): Promise<string> {
  const text = option === '-' ? await readAll() : option;
  const phone = parsePhone(text.trim());
  if (phone !== undefined) return phone;
  const message = 'error: --phone must be a number as 254712345678, +254712345678 or 0712345678';
  process.stderr.write(`${message}\n`);
  throw new CommanderError(2, 'pesapost.invalidPhone', message);
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString('utf8');
}

const nothingThere = 'nothing of this number is there to be erased';

async function erasableOf(
  app: INestApplicationContext,
  phone: string,
  options: EraseOptions,
): Promise<{
  readonly found: PersonsEvidence;
  readonly withheld: readonly Quarantine[];
}> {
  const { phoneHmac } = (await app.get(OperatorsVault).open()).tracesOf(phone);
  const streams = await streamsOf(app, phoneHmac);
  await refuseOpen(app, streams);
  const found = await app.get<EvidenceErasure>(EvidenceErasure).find(phoneHmac, streams);
  const withheld = await withheldOf(app.get(Database), {});
  if (found.messages === 0)
    throw new Refused([
      'there is nothing of this number to erase, or it was erased before',
      ...withheldWords(withheld),
    ]);
  if (!options.yes) throw new Refused([...whatWouldGo(found), ...withheldWords(withheld)]);
  return { found, withheld };
}

/**
 * Streams that the views have, and streams that stored requests name: the views may lag, and a request may come from an
 * older release.
 */
async function streamsOf(
  app: INestApplicationContext,
  phoneHmac: string,
): Promise<readonly string[]> {
  const database = app.get(Database);
  const all = [
    ...(await findStreamsByPhone(database, phoneHmac)),
    ...(await findStreamsOfNumber(database, phoneHmac)),
  ];
  return [...new Set(all)].sort();
}

/**
 * Refuses items that may still be paid, because they need their number or their evidence.
 * @throws Refused
 */
async function refuseOpen(app: INestApplicationContext, streams: readonly string[]): Promise<void> {
  const store = app.get<EventStore>(EventStore);
  const nowMs = app.get<Clock>(Clock).nowMs();
  const openForMs = settingsOrRefused().railReviewAfterMs + lastQuestionMs;
  const open: string[] = [];
  await concurrently(streams, streamsAtOnce, async (stream) => {
    const item = transactionFrom(await store.readStream<ItemEvent>(stream));
    // A request without a result has no item.
    if (!item) return;
    const { type, key } = itemOf(stream) ?? { type: 'stream', key: { reference: stream } };
    const name = `${type} ${key.reference}`;
    if (item.under_review) open.push(`${name} is under review`);
    else if (item.status === 'pending' || item.status === 'pending_approval')
      open.push(`${name} is ${item.status}`);
    else if (item.status === 'failed' && nowMs - msFromInstant(item.created_at) < openForMs)
      open.push(`${name} failed, and may still be paid for some days`);
  });
  if (open.length === 0) return;
  throw new Refused([
    'nothing was erased: an item of this number is not final yet',
    ...open
      .sort()
      .slice(0, maxNamed)
      .map((line) => `  ${line}`),
    ...(open.length > maxNamed ? [`  … and ${open.length - maxNamed} more`] : []),
  ]);
}

function whatWouldGo({ messages, streams }: PersonsEvidence): readonly string[] {
  return [
    `nothing was erased yet. ${messages} messages of ${streams.length} collections and payouts would go, for good:`,
    ...streams.slice(0, maxNamed).map((stream) => `  ${stream}`),
    ...(streams.length > maxNamed ? [`  … and ${streams.length - maxNamed} more`] : []),
    'a batch’s request goes for all of its people. Give the command once more with --yes',
  ];
}
