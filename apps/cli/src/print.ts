import { writeJson } from '#domain/kernel';

/** One JSON object on a line; a bigint is an integer of all its digits. */
export function printJson(value: object): void {
  process.stdout.write(`${writeJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
