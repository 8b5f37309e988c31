/** Shows a line to the person at the terminal; one who has gone away does not end the service. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
