/** Invisible characters and spaces. Unicode's own comparison of names drops the invisible ones. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\s]+/gu;

/**
 * The form in which names are compared: after NFKC and case folding, without spaces and invisible characters (PEO-37).
 * These are removed before letters and accents are joined: one between the two would keep them apart. Upper case comes
 * before lower case, since some letters have two lower cases; a sigma's depends on its place in the word.
 */
function nameKey(name: string): string {
  const visible = name.normalize('NFKC').replace(ignorable, '').normalize('NFKC');
  return visible.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/** True if a reader, or a keyboard, may take one name for the other. */
export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other);
}
