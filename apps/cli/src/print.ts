import { writeJson } from '#domain/kernel';

/** Prints one JSON object on a line. A bigint is an integer with all its digits. */
export function printJson(value: object): void {
  process.stdout.write(`${writeJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${seenText(lines.join('\n'))}\n`);
}

/** Characters that control a terminal or reorder a text. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes a text of merchants, the rail and other operators safe for a terminal, so that it cannot hide the text beside
 * it. History and files contain texts that no one has checked.
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
