import { isRenewalRefusal, refusedAnswer } from '#shared/openid';
import { hashSecret } from '#shared/signing';
import { Sessions } from '#records/people';
import { decodeJwt } from 'jose';
import { withApp } from './app.js';
import { type Issuer, unreachable } from './issuer.js';
import { alone, keepSignIn, type KeptSignIn, readSignIn } from './kept-sign-in.js';
import { knownIssuer } from './known-issuer.js';
import { Refused } from './refused.js';

/** Ends the session in the records. */
export type EndSession = (hash: Buffer) => Promise<void>;

/** The issuer says that the person may not stay. */
class NotRenewed extends Error {}

/**
 * The sign-in that this user keeps, renewed at the issuer if it has a refresh token (PEO-62). If the issuer refuses, the
 * session ends here and in the records. If it is silent, the sign-in stays as it is.
 * @returns undefined if there is none
 * @throws Refused if the issuer refused, or is silent and the identity token has expired
 */
export async function currentSignIn(
  issuer: Issuer,
  endSession: EndSession = endInRecords,
): Promise<KeptSignIn | undefined> {
  const found = await readSignIn(issuer);
  if (found?.refreshToken === undefined) return found;
  return alone(async () => {
    // Another command may have renewed it meanwhile, or signed out.
    const kept = await readSignIn(issuer);
    if (kept?.refreshToken === undefined) return kept;
    try {
      const renewed = await renew(issuer, kept, kept.refreshToken);
      await keepSignIn(issuer, renewed);
      return renewed;
    } catch (error) {
      if (!(error instanceof NotRenewed)) return unlessExpired(issuer, kept);
      await keepSignIn(issuer, undefined);
      await endSession(hashSecret(kept.session));
      throw new Refused([`the issuer ended your sign-in (${error.message}): npx pesapost login`]);
    }
  });
}

async function renew(issuer: Issuer, kept: KeptSignIn, token: string): Promise<KeptSignIn> {
  const { client, configuration } = await knownIssuer(issuer);
  const tokens = await client.refreshTokenGrant(configuration, token).catch((error: unknown) => {
    const { error: code } = refusedAnswer(error);
    if (isRenewalRefusal(code)) throw new NotRenewed(code);
    throw error;
  });
  const { id_token: idToken = kept.idToken, refresh_token: refreshToken = token } = tokens;
  if (decodeJwt(idToken).sub !== decodeJwt(kept.idToken).sub) throw new NotRenewed('other person');
  return { ...kept, idToken, refreshToken };
}

/** @throws Refused */
function unlessExpired(issuer: Issuer, kept: KeptSignIn): KeptSignIn {
  const { exp = 0 } = decodeJwt(kept.idToken);
  if (exp * 1000 > Date.now()) return kept;
  throw unreachable(issuer.url);
}

/** Without the records the session still ends on this machine, and for others when its time is over. */
async function endInRecords(hash: Buffer): Promise<void> {
  await withApp((app) => app.get(Sessions).revoke(hash)).catch(() => undefined);
}
