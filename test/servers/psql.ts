import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installByApt } from './apt.js';

const run = promisify(execFile);

/**
 * Makes psql and pg_isready available; apt installs Debian's package if they are missing.
 * @throws Error that says what a person can do
 */
export async function requirePsql(): Promise<void> {
  if (await isThere()) return;
  await installByApt('postgresql-client', 600_000).catch(() => undefined);
  if (!(await isThere()))
    throw new Error('psql was not found: install it (apt-get install postgresql-client)');
}

function isThere(): Promise<boolean> {
  return run('psql', ['--version']).then(
    () => true,
    () => false,
  );
}
