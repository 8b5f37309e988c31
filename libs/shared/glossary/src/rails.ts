/** The rails by channel, as people know them. */
export const railNames = { mpesa: 'M-Pesa', airtel: 'Airtel Money' } as const satisfies Readonly<
  Record<string, string>
>;

/** The channels that a request may name, if the account may use the rail. */
export const knownChannels = Object.keys(railNames) as readonly (keyof typeof railNames)[];

/** Returns a rail's name, or the channel itself if it has none. */
export function railNameOf(channel: string): string {
  return Object.hasOwn(railNames, channel) ? railNames[channel as keyof typeof railNames] : channel;
}

/**
 * Returns words about one rail. They are written for M-Pesa, and name the other rail in its place.
 * @param words a text, a function that returns one, or an object of them
 */
export function onRail<Words>(words: Words, channel: string): Words {
  const name = railNameOf(channel);
  return name === railNames.mpesa ? words : (renamed(words, name) as Words);
}

function renamed(words: unknown, name: string): unknown {
  if (typeof words === 'string') return words.replaceAll(railNames.mpesa, name);
  if (typeof words === 'function')
    return (...values: readonly unknown[]) =>
      renamed((words as (...given: readonly unknown[]) => unknown)(...values), name);
  const isPlain = typeof words === 'object' && words?.constructor === Object;
  if (!isPlain) return words;
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, renamed(word, name)]));
}
