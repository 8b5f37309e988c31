/** A JSON text that stands as it is (tc39 proposal-json-parse-with-source, in Node since 21). */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

/** JSON in which a bigint is an integer of all its digits; `JSON.stringify` alone throws on one. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  );
}
