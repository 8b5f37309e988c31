/** SQL text, or text with a name: each connection then prepares it once. */
export type Statement = string | { readonly name: string; readonly text: string };

/** The text of a statement, which is then prepared anew each time that it runs. */
export function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/**
 * The name of a statement without one: its verb and its table (`insert records.rail_messages`), or its first two words.
 * A statement's text never contains values, so the name reveals nothing.
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
