/** Invisible characters and spaces. Unicode's own comparison of names drops the invisible ones. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\s]+/gu;

/**
 * The form in which names are compared: after NFKC and case folding, without spaces and invisible characters. Upper
 * case comes first, since some letters have two lower cases.
 */
function nameKey(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase();
  return folded.normalize('NFKC').replace(ignorable, '');
}

/** True if a reader, or a keyboard, may take one name for the other. */
export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other);
}
