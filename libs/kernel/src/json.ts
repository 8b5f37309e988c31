/** ECMAScript's JSON.rawJSON, which TypeScript's libraries do not describe yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** JSON in which a bigint is an integer literal: exact at any size, and never a floating-point number on the way. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member,
  );
}
