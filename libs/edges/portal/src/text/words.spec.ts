import { describe, expect, it } from '@jest/globals';
import { english as auditor } from '../auditor/auditor-texts.en.js';
import { english as developer } from '../merchant/developer/developer-texts.en.js';
import { english as home } from '../merchant/home/home-texts.en.js';
import { english as merchant } from '../merchant/merchant-texts.en.js';
import { english as operator } from '../operator/operator-texts.en.js';
import { merchantPlaces, platformPlaces } from '../page/places.js';
import { english as frame } from './texts.en.js';

const catalogues = { auditor, developer, frame, home, merchant, operator };
const places = [...platformPlaces, ...merchantPlaces].map(({ label }) => label.en);

/** Every text of a catalogue with its path. Functions are called with values that no text contains. */
function textsIn(of: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof of === 'string') return [[path, of]];
  if (typeof of === 'function') {
    const said: unknown = (of as (...values: readonly unknown[]) => unknown)('0', '0', '0', '0');
    return typeof said === 'string' ? [[path, said]] : [];
  }
  if (typeof of !== 'object' || of === null) return [];
  return Object.entries(of).flatMap(([name, value]) => textsIn(value, `${path}.${name}`));
}

/** Words that a whole label may not be: there is a plainer one. */
const labels = [
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
const phrases = [
  ...[
    'a person looks into it',
    'Nothing matches.',
    'M-Pesa’s name for it',
    'stands in the signed head',
  ],
  ...['The customer was asked for', 'M-Pesa took the request to the phone'],
  ...['Another amount arrived than was asked for', 'Postings that the signed history holds'],
  ...['What is open, and what to do next'],
];

describe('the words of the pages', () => {
  const texts = Object.entries(catalogues).flatMap(([name, of]) => textsIn(of, name));

  it('are read from each catalogue', () => {
    for (const name of Object.keys(catalogues))
      expect(texts.filter(([path]) => path.startsWith(`${name}.`)).length).toBeGreaterThan(10);
  });

  it('are the plain ones, in every label', () => {
    const old = texts.filter(([, text]) => labels.includes(text));
    expect([...old, ...places.filter((label) => labels.includes(label))]).toEqual([]);
  });

  it('are the plain ones, in every sentence', () => {
    expect(texts.filter(([, text]) => phrases.some((phrase) => text.includes(phrase)))).toEqual([]);
  });
});
