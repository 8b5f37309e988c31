import { Database } from '#infra/postgres';
import { merchantOfCredential } from '#views/merchants';
import { withApp } from './app.js';
import { Refused } from './refused.js';

/** Looks up the merchant of a credential. @throws Refused, DependencyUnavailable */
export async function ownerOf(credentialId: string): Promise<string> {
  const found = await withApp((app) => merchantOfCredential(app.get(Database), credentialId));
  if (found !== undefined) return found;
  throw new Refused([
    `no credential ${credentialId} is known: see npx pesapost credential list --merchant M, and name the merchant of one that was issued just now with --merchant`,
  ]);
}
