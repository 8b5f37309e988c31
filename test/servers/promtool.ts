import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installByApt } from './apt.js';

const run = promisify(execFile);

/**
 * Makes Prometheus and promtool available; apt installs Debian's package if they are missing.
 * @throws Error that says what a person can do
 */
export async function requirePrometheus(): Promise<void> {
  if (await isThere()) return;
  await installByApt('prometheus', 600_000).catch(() => undefined);
  if (!(await isThere()))
    throw new Error('Prometheus was not found: install it (apt-get install prometheus)');
}

async function isThere(): Promise<boolean> {
  return run('promtool', ['--version']).then(
    () => true,
    () => false,
  );
}

/** @returns its exit code and all its output */
export async function promtool(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  try {
    const { stdout, stderr } = await run('promtool', [...words]);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const {
      code = 1,
      stdout = '',
      stderr = '',
    } = error as { readonly code?: number; readonly stdout?: string; readonly stderr?: string };
    return { code, text: `${stdout}${stderr}` };
  }
}
