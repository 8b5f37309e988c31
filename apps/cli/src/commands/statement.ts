import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EventStore } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { type Heading, type Line, writeCamt053, writeCsv, writePdf } from '#shared/statements';
import { type AccountOwner } from '#views/balances';
import { readStatementOfDays, statementEntries } from '#views/statements';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { withApp } from '../app.js';
import { momentOf, ownerOf } from '../as-of.js';
import { money } from '../money.js';
import { parseDay } from '../options.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { plainCommand } from './plain-command.js';

const formats = ['csv', 'camt.053', 'pdf'] as const;
type Format = (typeof formats)[number];

interface StatementOptions {
  readonly account: string;
  readonly from: string;
  readonly to: string;
  readonly format: Format;
  readonly output?: string;
  readonly json?: true;
}

export const statement = plainCommand(
  'statement',
  'prints an account’s opening balance, entries and closing balance, with their positions',
  'statement --account 1000000001 --from 2026-11-01 --to 2026-11-30 --format pdf --output november.pdf',
)
  .requiredOption('--account <number>', 'the account’s number')
  .requiredOption('--from <day>', 'first day, of the merchant’s zone', parseDay)
  .requiredOption('--to <day>', 'last day, inclusive', parseDay)
  .addOption(new Option('--format <format>', 'how it is written').choices(formats).default('csv'))
  .option('--output <file>', 'the file to write; standard output by default')
  .action(async (options: StatementOptions) => {
    refuseEarly(options);
    await withApp((app) => issue(app, options));
  });

function refuseEarly({ from, to, format, output, json }: StatementOptions): void {
  if (from > to) throw new Refused([`--from ${from} is after --to ${to}: the dates are swapped`]);
  if (output !== undefined) return;
  if (json)
    throw new Refused(['--json prints only the sums: name a file for the statement with --output']);
  if (format === 'pdf' && process.stdout.isTTY)
    throw new Refused(['a PDF is not for a terminal: name a file with --output']);
}

/** The service's name, as in its webhooks' header. */
const service = 'PesaPost';

async function issue(app: INestApplicationContext, options: StatementOptions): Promise<void> {
  const owner = await ownerOf(app, options.account);
  const database = app.get(Database);
  const heading = await headingOf(app, owner, options);
  const lines = statementEntries(database, owner, heading);
  const { output } = options;
  if (output === undefined) {
    await pipeline(textOf(options.format, heading, lines), process.stdout, { end: false }).catch(
      unlessUnread,
    );
    tell(heading, options, (text) => process.stderr.write(`${text}\n`));
    return;
  }
  await writeWhole(output, (file) => pipeline(textOf(options.format, heading, lines), file));
  if (options.json) printJson(jsonOf(heading, output));
  else
    tell(heading, options, (text) => {
      printLines([text]);
    });
}

async function headingOf(
  app: INestApplicationContext,
  owner: AccountOwner,
  { from, to }: StatementOptions,
): Promise<Heading> {
  const ledger = { database: app.get(Database), store: app.get<EventStore>(EventStore) };
  const { position, day } = await momentOf(app, owner, { day: to });
  const end = { position, isOver: day?.isOver ?? false };
  const found = await readStatementOfDays(ledger, owner, { from, to }, end);
  const { merchantId, mode, accountNo, currency, timezone } = owner;
  return {
    service,
    merchant: owner.name,
    merchantId,
    mode,
    accountNo,
    currency,
    timezone,
    ...found,
  };
}

/**
 * Ignores that the reader has gone, as `head` does.
 * @throws any other error
 */
function unlessUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function textOf(format: Format, heading: Heading, lines: AsyncIterable<Line>): Readable {
  switch (format) {
    case 'csv':
      return Readable.from(writeCsv(heading, lines));
    case 'camt.053':
      return Readable.from(writeCamt053(heading, lines));
    case 'pdf':
      return writePdf(heading, lines);
  }
}

/**
 * Writes the whole file or nothing: an existing file is replaced once the new one is complete.
 * @throws Refused
 */
async function writeWhole(path: string, write: (file: Writable) => Promise<void>): Promise<void> {
  // Otherwise a file would replace a device or a link.
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile())
    throw new Refused([`${path} is there and no plain file: name another one with --output`]);
  const unfinished = `${path}.unfinished`;
  try {
    await write(createWriteStream(unfinished, { mode: 0o600 }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Refused([`${path} cannot be written: ${error.message}`]);
  }
}

function tell(
  { openingMinor, closingMinor, entries, currency, after, upTo, to, isOver }: Heading,
  { output }: StatementOptions,
  write: (text: string) => void,
): void {
  if (output !== undefined) write(`written: ${output}`);
  write(`opening ${money(openingMinor, currency)} as of position ${after}`);
  const closing = isOver ? 'closing' : 'so far';
  write(`${closing} ${money(closingMinor, currency)} as of position ${upTo}, ${entries} entries`);
  if (!isOver) write(`${to} is not over: more may come`);
}

function jsonOf(heading: Heading, output: string): object {
  return {
    output,
    account_no: heading.accountNo,
    currency: heading.currency,
    mode: heading.mode,
    from: heading.from,
    to: heading.to,
    opening_minor: heading.openingMinor,
    opening_position: heading.after,
    closing_minor: heading.closingMinor,
    closing_position: heading.upTo,
    day_is_over: heading.isOver,
    entries: heading.entries,
    credits_minor: heading.creditsMinor,
    debits_minor: heading.debitsMinor,
  };
}
