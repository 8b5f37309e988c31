/** A JSON text that stands as it is (TC39's "JSON.parse source text access"; TypeScript does not know it yet). */
const withRawJson = JSON as typeof JSON & { rawJSON(text: string): object };

/** JSON in which a bigint is an integer of all its digits; `JSON.stringify` alone throws on one. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? withRawJson.rawJSON(member.toString()) : member,
  );
}
