import { writeJson } from '#domain/kernel';

/** One JSON object on a line; a bigint is an integer of all its digits. */
export function printJson(value: object): void {
  process.stdout.write(`${writeJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Replaces the last line of progress on a terminal; scripts see none. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}
