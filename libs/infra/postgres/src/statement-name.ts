/** SQL text, or a text with a name: then each connection prepares it once. */
export type Statement = string | { readonly name: string; readonly text: string };

/**
 * What a statement is called where nobody gave it a name: its verb and its table (`insert records.rail_messages`),
 * or its first two words. Values never stand in a statement's text, so a name gives nothing away.
 */
export function nameOfStatement(statement: Statement): string {
  if (typeof statement !== 'string') return statement.name;
  const text = statement.trim().toLowerCase().replace(/\s+/g, ' ');
  const [, verb, table] =
    /^(insert|update|delete|select)\b.*?(?:(?<=insert )into|(?<=update)|from) ([a-z_][\w.]*)/.exec(
      text,
    ) ?? [];
  return verb !== undefined && table !== undefined
    ? `${verb} ${table}`
    : text
        .split(' ', 2)
        .join(' ')
        .replace(/[^a-z_. ]/g, '')
        .trim();
}
