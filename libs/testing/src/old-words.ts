/** Words that a whole label may not be: there is a plainer one. */
export const oldLabels: readonly string[] = [
  ...['Days', 'Keys', 'Refused requests', 'From V3 to V4', 'Kind', 'any', 'What to show', 'Show'],
  ...['Without filters', 'Days count by', 'Views that you keep', 'Keep these filters'],
  ...['Set aside for payouts', 'What the accounts hold', 'Why it failed', 'What happened'],
  ...['It was not paid', 'Get the statement', 'Save the receipt as a file', 'The ledger’s figures'],
  ...['Compare and record', 'What lines and items came to', 'missing here', 'Ask for a payout'],
  ...['missing on the statement', 'Ask for many payouts at once', 'Named in calls as', 'taken'],
  ...['May call from', 'answers', 'The very bytes', 'Send it again now', 'Confirm that it is me'],
  ...['Do nothing', 'Waiting for you', 'Grant roles', 'works', 'look at it', 'Plots', 'Seals'],
  ...['Money that the ledger does not hold', 'Who did what'],
];

/** Phrases that no text may contain. */
export const oldPhrases: readonly string[] = [
  ...['looks into it', 'Nothing matches.', 'M-Pesa’s name for it', 'stands in the signed head'],
  ...['The customer was asked for', 'M-Pesa took the request to the phone'],
  ...['Another amount arrived than was asked for', 'Postings that the signed history holds'],
  ...['What is open, and what to do next', 'There was not', 'there was not'],
  ...['whichever has it', 'Nothing that fits', 'waits no longer', 'fails no longer', 'begin anew'],
  ...['There is no such collection', 'There is no such payout', 'another amount than'],
  ...['the one who proposed it', 'is written down elsewhere', 'what was asked for'],
];

/** Every text of a catalogue with its path. Functions are called with values that no text contains. */
export function textsIn(of: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof of === 'string') return [[path, of]];
  if (typeof of === 'function') {
    const said: unknown = (of as (...values: readonly unknown[]) => unknown)('0', '0', '0', '0');
    return typeof said === 'string' ? [[path, said]] : [];
  }
  if (typeof of !== 'object' || of === null) return [];
  return Object.entries(of).flatMap(([name, value]) => textsIn(value, `${path}.${name}`));
}

/** A label: a short text that is no sentence. */
const longestLabel = 40;
/** Swahili takes up to 60 % more, and a single word up to ten characters more. */
const growth = { factor: 1.6, characters: 10 };

/** The labels whose Swahili does not fit where the English does, with both. */
export function tooLong(english: unknown, swahili: unknown): readonly string[] {
  const translated = new Map(textsIn(swahili, ''));
  return textsIn(english, '').flatMap(([path, label]) => {
    if (label.length > longestLabel || label.endsWith('.')) return [];
    const { length } = label;
    const most = Math.max(length * growth.factor, length + growth.characters);
    const other = translated.get(path) ?? '';
    return other.length > most ? [`${path}: ${label} / ${other}`] : [];
  });
}

/** The paths of a catalogue's texts, sorted. */
export function pathsOf(catalogue: unknown, path = ''): readonly string[] {
  if (typeof catalogue !== 'object' || catalogue === null) return [path];
  const entries = Object.entries(catalogue);
  return entries.flatMap(([name, value]) => pathsOf(value, `${path}.${name}`)).toSorted();
}
