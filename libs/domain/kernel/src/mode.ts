/** Live or demo. It belongs to the credential, never to a flag that a V4 client passes. */
export type Mode = 'live' | 'demo';

export const modes = ['live', 'demo'] as const satisfies readonly Mode[];

export function isMode(text: string): text is Mode {
  return text === 'live' || text === 'demo';
}
