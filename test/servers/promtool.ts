import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { requireProgram } from './program.js';

const run = promisify(execFile);

/** Makes Prometheus and its promtool available. @throws Error that says what a person can do */
export function requirePrometheus(): Promise<void> {
  return requireProgram('promtool', 'prometheus');
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
