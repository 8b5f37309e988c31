import { CommanderError } from 'commander';
import { seenText } from './print.js';
import { program } from './program.js';
import { Refused } from './refused.js';

/** Exit codes that scripts rely on: done; refused, or a check found something; wrong usage. */
const exitCode = { done: 0, refused: 1, usage: 2 } as const;

process.title = 'pesapost-cli';
// Node's own warnings, such as DEP0123 about a TLS address, are of no use to an operator.
process.removeAllListeners('warning');

let isAnswerLost = false;
process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
  // The reader may have gone, as `head` does: the command ends normally.
  if (code === 'EPIPE' || isAnswerLost) return;
  isAnswerLost = true;
  process.stderr.write(`the answer could not be written (${code})\n`);
});
process.stderr.on('error', () => undefined);
// The stream reports it late, when the command has ended.
process.once('exit', () => {
  if (isAnswerLost) process.exitCode ||= exitCode.refused;
});

try {
  await program.parseAsync();
  process.exitCode = exitCode.done;
} catch (error) {
  process.exitCode = exitCodeOf(error);
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
