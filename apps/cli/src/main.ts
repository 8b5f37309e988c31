import { exitCode, run } from './run.js';

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

process.exitCode = await run(process.argv.slice(2));
