import { writeJson } from '#domain/kernel';

/** One JSON object on a line; a bigint is an integer of all its digits. */
export function printJson(value: object): void {
  process.stdout.write(`${writeJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${seenText(lines.join('\n'))}\n`);
}

/** What a terminal acts on, and what shows a text in another order. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * What merchants, the rail and other operators wrote, as a person may read it at a terminal: none of it may paint over
 * what stands beside it. History and files hold what nobody looked at.
 */
export function seenText(text: string): string {
  return text.replace(unseen, '\ufffd');
}

/** Replaces the last line of progress on a terminal; scripts see none. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}
