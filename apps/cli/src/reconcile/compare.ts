import { createReadStream } from 'node:fs';
import { statementReaders } from '#adapters/wiring';
import { type ReconciledBy, StatementRefused } from '#domain/reconciliation';
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

/** @throws Refused, with nothing recorded, if the file is no statement of that day and account */
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
  const reader = statementReaders(settings).of(day.channel);
  if (!reader) throw new Refused([`no statement of the rail “${day.channel}” can be read`]);
  try {
    return await compareWithFiles(database, {
      day,
      files: paths.map((path) => ({ name: path, chunks: contentsOf(path) })),
      reader,
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

/** Opens the file when it is read: an earlier error would reach no reader. */
async function* contentsOf(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

function refusalOf(error: unknown, paths: readonly string[]): Refused | undefined {
  const [only, ...others] = paths;
  // With several files, the message itself names the wrong one.
  const prefix = others.length === 0 ? `${only ?? ''}: ` : '';
  if (error instanceof StatementRefused || error instanceof TooManyUnmatched)
    return new Refused([prefix + error.message]);
  const { code, syscall, path = only } = error as NodeJS.ErrnoException;
  // A directory can be opened but not read.
  return syscall === 'open' || code === 'EISDIR'
    ? new Refused([`${path ?? ''} cannot be read: is it there, and a file?`])
    : undefined;
}
