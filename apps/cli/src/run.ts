import { CommanderError } from 'commander';
import { seenText } from './print.js';
import { program } from './program.js';
import { Refused } from './refused.js';

/** Exit codes that scripts rely on: done; refused, or a check found something; wrong usage. */
export const exitCode = { done: 0, refused: 1, usage: 2 } as const;

/**
 * Runs one command and writes what a person must know about its failure to stderr.
 * @param words the command line without the program's name
 * @returns the exit code
 */
export async function run(words: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode.done;
  } catch (error) {
    return exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
  if (error instanceof Refused) {
    for (const line of error.lines) process.stderr.write(`${seenText(line)}\n`);
    return exitCode.refused;
  }
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${why}\n`);
  return exitCode.refused;
}
