import { type History, useHistory } from '#testing';
import { expect, it } from '@jest/globals';
import { findByIndex } from './find-streams.js';

let history: History;
useHistory((begun) => {
  history = begun;
});

it('an id of the rail finds its collection, known by it as it came or without the number in it', async () => {
  const accept = async (reference: string, railReference: string) => {
    const stream = await history.intend(reference);
    history.append(stream, { type: 'RailPushAccepted', data: { railReference } });
    return stream;
  };
  const hidden = await accept('NEW', 'ws_1~hidden');
  // An event from a release that stored ids whole.
  const whole = await accept('OLD', 'ws_2712345678');
  await history.project();
  const knownAs = (id: string) => Promise.resolve(id.replace('712345678', '~hidden'));
  const find = (word: string) => findByIndex({ database: history.database, knownAs }, word);
  for (const [word, stream] of [
    ['ws_1712345678', hidden],
    ['ws_1~hidden', hidden],
    ['ws_2712345678', whole],
  ] as const)
    expect([word, await find(word)]).toEqual([word, [{ stream, by: 'rail reference' }]]);
});
