/** A JSON text that stands as it is (TC39's "JSON.parse source text access"; TypeScript does not know it yet). */
const withRawJson = JSON as typeof JSON & { rawJSON(text: string): object };

/** One JSON object on a line; a bigint is an integer of all its digits. */
export function printJson(value: object): void {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? withRawJson.rawJSON(member.toString()) : member,
  );
  process.stdout.write(`${text}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
