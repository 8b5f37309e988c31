import { createReadStream } from 'node:fs';
import { type ReconciledBy, StatementRefused } from '#domain/reconciliation';
import { MpesaStatements } from '#edges/rail-mpesa';
import { type Database } from '#infra/postgres';
import { type Settings } from '#infra/runtime';
import {
  type AccountDay,
  compareWithFile,
  type Report,
  TooManyUnmatched,
} from '#views/reconciliations';
import { endProgress, showProgress } from '../print.js';
import { Refused } from '../refused.js';

/** @throws Refused, and nothing is recorded, where the file is no statement of that day and account */
export async function compareWithPath(
  database: Database,
  {
    day,
    path,
    by,
    settings,
  }: {
    readonly day: AccountDay;
    readonly path: string;
    readonly by: ReconciledBy;
    readonly settings: Settings;
  },
): Promise<Report> {
  try {
    return await compareWithFile(database, {
      day,
      file: { name: path, chunks: contentsOf(path) },
      reader: new MpesaStatements(settings.rails.mpesa),
      by,
      maxAgeMs: settings.readModelMaxAgeMs,
      onProgress: ({ step, lines: count }) => {
        showProgress(count === 0 ? 'comparing' : `${count.toLocaleString('en')} lines ${step}`);
      },
    });
  } catch (error) {
    throw refusalOf(error, path) ?? error;
  } finally {
    endProgress();
  }
}

/** Opened when somebody reads: a file that fails before that would have nobody to tell. */
async function* contentsOf(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

function refusalOf(error: unknown, path: string): Refused | undefined {
  if (error instanceof StatementRefused || error instanceof TooManyUnmatched)
    return new Refused([`${path}: ${error.message}`]);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'
    ? new Refused([`${path} cannot be read: is it there, and a file?`])
    : undefined;
}
