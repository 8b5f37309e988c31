import { tokensByBrowser } from './browser-flow.js';
import { tokensByDevice } from './device-flow.js';
import { type Issuer } from './issuer.js';
import { type Anew, knownIssuer, type Tokens } from './known-issuer.js';

/** The way to sign in: in the browser of this machine, or by a code that is typed into any browser (PEO-12). */
export type Flow = 'browser' | 'device';

/** The flow for this machine: the browser's if the person has a display here, and is not connected from elsewhere. */
export function flowHere(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Flow {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (['SSH_CONNECTION', 'SSH_TTY'].some(isSet)) return 'device';
  if (platform === 'darwin' || platform === 'win32') return 'browser';
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some(isSet) ? 'browser' : 'device';
}

/**
 * Signs a person in at the issuer.
 * @param anew undefined if the issuer need not ask a person whom it remembers
 * @throws Refused
 */
export async function signIn(issuer: Issuer, flow: Flow, anew?: Anew): Promise<Tokens> {
  const known = await knownIssuer(issuer);
  return flow === 'browser' ? tokensByBrowser(known, anew) : tokensByDevice(known, anew);
}
