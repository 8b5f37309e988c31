/** Strings whole, so that nothing inside one is taken for structure; and what opens, closes and names. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * The name of a member that stands twice in one object; undefined where none does. Parsing keeps the last one and
 * says nothing, so only the text tells.
 * @param text JSON that has been parsed
 */
export function repeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    const names = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':' && names) {
      const name = JSON.parse(last) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
    last = token;
  }
  return undefined;
}
