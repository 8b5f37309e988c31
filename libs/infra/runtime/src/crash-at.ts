/** What CRASH_AT asks for: to log every point passed, or to die when one is passed for the `pass`-th time. */
export type CrashAt =
  | { readonly kind: 'trace' }
  | { readonly kind: 'die'; readonly point: string; readonly pass: number };

/** Reads `trace` or `<adapter>:<what>:<before|after>[#n]`, n counted from 1. */
export function parseCrashAt(text: string): CrashAt | undefined {
  if (text === 'trace') return { kind: 'trace' };
  const match = /^([a-z]+:[^#]+:(?:before|after))(?:#([1-9]\d{0,5}))?$/.exec(text);
  if (!match?.[1]) return undefined;
  return { kind: 'die', point: match[1], pass: match[2] === undefined ? 1 : Number(match[2]) };
}
