import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installByApt } from './apt.js';

/** Enough to download a large package over a slow line; for `beforeAll`. */
const installDeadlineMs = 600_000;

/**
 * Makes a program of the system available; apt installs its package if it is missing.
 * @param question an argument that it answers with exit code 0
 * @throws Error that says what a person can do
 */
export async function requireProgram(
  program: string,
  debianPackage = program,
  question = '--version',
): Promise<void> {
  const isThere = (): Promise<boolean> =>
    promisify(execFile)(program, [question]).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  await installByApt(debianPackage, installDeadlineMs).catch(() => undefined);
  if (!(await isThere()))
    throw new Error(`${program} was not found: install it (apt-get install ${debianPackage})`);
}
