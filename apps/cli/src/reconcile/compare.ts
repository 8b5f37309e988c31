import { createReadStream } from 'node:fs';
import { type ReconciledBy, StatementRefused } from '#domain/reconciliation';
import { MpesaStatements } from '#edges/rail-mpesa';
import { type Database } from '#infra/postgres';
import { type Settings } from '#infra/runtime';
import {
  type AccountDay,
  compareWithFiles,
  type Report,
  TooManyUnmatched,
} from '#views/reconciliations';
import { endProgress, showProgress } from '../print.js';
import { Refused } from '../refused.js';

/** @throws Refused, and nothing is recorded, where the file is no statement of that day and account */
export async function compareWithPaths(
  database: Database,
  {
    day,
    paths,
    by,
    settings,
  }: {
    readonly day: AccountDay;
    readonly paths: readonly string[];
    readonly by: ReconciledBy;
    readonly settings: Settings;
  },
): Promise<Report> {
  try {
    return await compareWithFiles(database, {
      day,
      files: paths.map((path) => ({ name: path, chunks: contentsOf(path) })),
      reader: new MpesaStatements(settings.rails.mpesa),
      by,
      maxAgeMs: settings.readModelMaxAgeMs,
      onProgress: ({ step, lines: count }) => {
        showProgress(count === 0 ? 'comparing' : `${count.toLocaleString('en')} lines ${step}`);
      },
    });
  } catch (error) {
    throw refusalOf(error, paths) ?? error;
  } finally {
    endProgress();
  }
}

/** Opened when somebody reads: a file that fails before that would have nobody to tell. */
async function* contentsOf(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

function refusalOf(error: unknown, paths: readonly string[]): Refused | undefined {
  const [only, ...others] = paths;
  // Of several, the message names the one.
  const prefix = others.length === 0 ? `${only ?? ''}: ` : '';
  if (error instanceof StatementRefused || error instanceof TooManyUnmatched)
    return new Refused([prefix + error.message]);
  const { code, syscall, path = only } = error as NodeJS.ErrnoException;
  // A directory is opened, and cannot be read.
  return syscall === 'open' || code === 'EISDIR'
    ? new Refused([`${path ?? ''} cannot be read: is it there, and a file?`])
    : undefined;
}
