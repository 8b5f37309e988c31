import { ok, refuse, type Result } from '#domain/kernel';
import { hasSimilarHolder } from '../holders.js';
import { type Merchant } from '../merchant.js';
import { type CredentialIssued, type V3Credential, type VidAssigned } from '../merchant.events.js';

export type V3CredentialRefusal =
  'unknown_merchant' | 'similar_holder' | 'consumer_key_taken' | 'vid_fixed';

/** Returns the reason why the merchant's own history rules out a V3 credential with this consumer key and vid. */
export function v3CredentialRefusal(
  {
    holder,
    consumerKey,
    vid,
  }: {
    readonly holder: string;
    readonly consumerKey?: string | undefined;
    readonly vid?: string | undefined;
  },
  state: Merchant,
): V3CredentialRefusal | undefined {
  if (state.kind === 'none') return 'unknown_merchant';
  if (hasSimilarHolder(holder, state)) return 'similar_holder';
  // A revoked credential keeps its consumer key, because evidence must name one credential.
  if (consumerKey !== undefined && state.credentials.some((one) => one.consumerKey === consumerKey))
    return 'consumer_key_taken';
  // Published links contain the vid, so it never changes.
  if (vid !== undefined && state.vid !== undefined && vid !== state.vid) return 'vid_fixed';
  return undefined;
}

/**
 * @param vid `wanted` is the operator's, if given; `fresh` is assigned, in the same append, to a merchant without one
 */
export function decideIssueV3Credential(
  credential: V3Credential,
  { wanted, fresh }: { readonly wanted: string | undefined; readonly fresh: string },
  state: Merchant,
): Result<readonly (VidAssigned | CredentialIssued)[], V3CredentialRefusal> {
  const { holder, consumerKey } = credential;
  const refusal = v3CredentialRefusal({ holder, consumerKey, vid: wanted }, state);
  if (refusal !== undefined) return refuse(refusal);
  const issued = { type: 'CredentialIssued', data: credential } as const;
  return ok(
    vidOf(state) === undefined
      ? [{ type: 'VidAssigned', data: { vid: wanted ?? fresh } }, issued]
      : [issued],
  );
}

export function vidOf(state: Merchant): string | undefined {
  return state.kind === 'registered' ? state.vid : undefined;
}
