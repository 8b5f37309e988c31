import { Pipeline } from '#domain/event-sourcing';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { type Change, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type Ending, endOf, type MerchantEvent } from '../merchant.events.js';
import { credentialOf, type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';
import { CredentialSecrets } from '../ports.js';

/** The requested end of a credential, as the edge has checked it; without `expiresAt` it has no end. */
export interface ExpiryDetails extends Ending {
  readonly merchantId: string;
  readonly credentialId: string;
}

export type ExpiryRefusal = 'unknown_credential';

/** Sets or removes the end of a credential in use, on every replica within a second. */
export const setExpiry: Change<ExpiryDetails, undefined, ExpiryRefusal | 'unknown_merchant'> = {
  kind: 'expiry',
};

/** The credential in the state that a proposal was made on. */
interface SeenExpiry extends Ending {
  readonly holder: string;
}

/**
 * A later end, or none, needs two admins if the credential works in live mode: it lets live money move for longer
 * (PEO-30). An earlier end needs one.
 */
@Injectable()
export class SetExpirySubject extends MerchantSubject<ExpiryDetails, ExpiryRefusal> {
  override readonly change = setExpiry;

  constructor(
    pipeline: Pipeline,
    private readonly secrets: CredentialSecrets,
  ) {
    super(pipeline);
  }

  protected override aboutOf = ({ credentialId }: ExpiryDetails): string => credentialId;

  override weighOn(
    { credentialId, expiresAt }: ExpiryDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, ExpiryRefusal> {
    const credential = credentialOf(credentialId, state);
    if (!credential || credential.revoked) return refuse('unknown_credential');
    const { mode, holder, expiresAt: now } = credential;
    // A V3 credential has no mode and works in live mode too.
    const needsTwo = mode !== 'demo' && isLater(expiresAt, now);
    const seen: SeenExpiry = { holder, ...endOf(credential) };
    return ok({ needsTwo, seen: JSON.stringify(seen), ...(mode === undefined ? {} : { mode }) });
  }

  override describe(
    { credentialId, expiresAt }: ExpiryDetails,
    seen: string,
  ): readonly ProposalRow[] {
    const now = JSON.parse(seen) as SeenExpiry;
    return [
      { field: 'credential', value: credentialId },
      { field: 'holder', value: now.holder },
      { field: 'expires', value: expiresAt ?? '', before: now.expiresAt ?? '' },
    ];
  }

  protected override eventOf(
    { credentialId, expiresAt }: ExpiryDetails,
    state: RegisteredMerchant,
  ): MerchantEvent | undefined {
    if (credentialOf(credentialId, state)?.expiresAt === expiresAt) return undefined;
    return { type: 'CredentialExpirySet', data: { credentialId, ...endOf({ expiresAt }) } };
  }

  protected override record(
    { credentialId, expiresAt }: ExpiryDetails,
    revision: bigint,
  ): Promise<void> {
    return this.secrets.endAt(credentialId, expiresAt, revision);
  }
}

/** True if the credential works for longer with the first end. No end is the latest. */
function isLater(expiresAt: Instant | undefined, than: Instant | undefined): boolean {
  if (than === undefined) return false;
  return expiresAt === undefined || expiresAt > than;
}
