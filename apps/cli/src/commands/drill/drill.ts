import { randomUUID } from 'node:crypto';
import { EventStore } from '#domain/event-sourcing';
import { Clock, DependencyUnavailable } from '#domain/kernel';
import { type DrillFindings, RecordDrill, type RecordedDrill } from '#domain/drills';
import { type DrillOptions, drillOwnCopy, drillRestored, DrillRefused } from '#adapters/drill';
import { Database, isDiskFull } from '#infra/postgres';
import { SystemTimer } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { viewSchema } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Command, InvalidArgumentError } from 'commander';
import { withApp } from '../../app.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { endProgress, printJson, printLines, showProgress } from '../../print.js';
import { Refused } from '../../refused.js';
import { serversOf } from '../../servers.js';
import { settingsOrRefused } from '../../settings.js';
import { sealedTables } from '../keys/key-uses.js';
import { drillJson, drillLines } from './drill-text.js';

interface DrillCommandOptions {
  readonly database?: string;
  readonly as: string;
  readonly isSignedIn?: true;
  readonly json?: true;
}

export const drill = new Command('drill')
  .description(
    'holds a restored backup of the records against what serves and the log, and records what came of it; exit code 1 where something does not hold',
  )
  .option(
    '--database <url>',
    'the database into which the backup was restored; under npm start the drill makes a copy itself',
    parseDatabaseUrl,
  )
  .addOption(whoOption())
  .option('--json', 'the answer as one JSON object')
  .addHelpText(
    'after',
    '\nExample:\n  npx pesapost drill --database postgres://me@db2:5432/restored',
  )
  .action(async (given: DrillCommandOptions) => {
    const { findings, recorded } = await withApp((app) => drilled(app, given));
    if (given.json) printJson(drillJson(findings, recorded));
    else printLines(drillLines(findings, recorded));
    const { faults } = recorded.conclusion;
    if (faults.length > 0)
      throw new Refused([`the drill failed: ${faults.length} of what was checked does not hold`]);
  });

function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('must be a URL of Postgres, as postgres://me@db2:5432/restored');
  return text;
}

interface Drilled {
  readonly findings: DrillFindings;
  readonly recorded: RecordedDrill;
}

async function drilled(app: INestApplicationContext, given: DrillCommandOptions): Promise<Drilled> {
  const findings = await interruptibly((signal) => findingsOf(app, given.database, signal));
  const command = new RecordDrill(findings, operatorMetadata(given));
  return { findings, recorded: await app.get(CommandBus).execute(command) };
}

async function findingsOf(
  app: INestApplicationContext,
  url: string | undefined,
  signal: AbortSignal,
): Promise<DrillFindings> {
  const settings = settingsOrRefused();
  if (url === undefined && settings.databaseUrl !== undefined)
    throw new Refused([
      '--database is needed with DATABASE_URL: restore the last backup into another database and name that (docs/how-to/restore-from-a-backup.md)',
    ]);
  const options: DrillOptions = {
    database: app.get(Database),
    schema: viewSchema(),
    store: app.get(EventStore),
    clock: app.get(Clock),
    timer: new SystemTimer(),
    keyring: app.get(Keyring),
    sealedTables,
    holder: `cli-${randomUUID()}`,
    signal,
    onProgress: showProgress,
  };
  if (url !== undefined) return drillRestored(options, url);
  return drillOwnCopy(options, (await serversOf(settings)).databaseUrl);
}

/**
 * Ends the drill at its next step on SIGINT or SIGTERM, and drops what it made. A second signal kills it.
 * @throws Refused
 */
async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    interrupted.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work(interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted)
      throw new Refused(['interrupted: nothing was recorded, and what the drill made was dropped']);
    if (error instanceof DrillRefused) throw new Refused([error.message]);
    if (!(error instanceof DependencyUnavailable)) throw error;
    const why = isDiskFull(error) ? 'the disk of Postgres is full' : error.message;
    throw new Refused([`the drill could not be finished, and nothing was recorded: ${why}`]);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    endProgress();
  }
}
