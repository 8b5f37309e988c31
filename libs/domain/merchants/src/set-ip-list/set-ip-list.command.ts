import { Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { type Change, type ProposalRow } from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { type MerchantEvent } from '../merchant.events.js';
import { credentialOf, type Merchant, type RegisteredMerchant } from '../merchant.js';
import { MerchantSubject, type WeighedTerms } from '../merchant-subject.js';
import { CredentialSecrets } from '../ports.js';
import { areWithin } from './ip-ranges.js';

/** The requested addresses of a V4 credential. */
export interface IpListDetails {
  readonly merchantId: string;
  readonly credentialId: string;
  /** The whole list: addresses and CIDR ranges. */
  readonly ipRanges: readonly string[];
}

export type IpListRefusal = 'unknown_credential';

/** Sets the addresses from which a V4 credential may call, on every replica within a second. Its tokens stay valid. */
export const setIpList: Change<IpListDetails, undefined, IpListRefusal | 'unknown_merchant'> = {
  kind: 'ip_list',
};

/** Widening the list of a live credential needs two admins (PEO-30). */
@Injectable()
export class SetIpListSubject extends MerchantSubject<IpListDetails, IpListRefusal> {
  override readonly change = setIpList;

  constructor(
    pipeline: Pipeline,
    private readonly secrets: CredentialSecrets,
  ) {
    super(pipeline);
  }

  protected override aboutOf = ({ credentialId }: IpListDetails): string => credentialId;

  /** Only a V4 credential has a list, and a revoked one needs none. */
  override weighOn(
    { credentialId, ipRanges }: IpListDetails,
    state: RegisteredMerchant,
  ): Result<WeighedTerms, IpListRefusal> {
    const credential = credentialOf(credentialId, state);
    if (!credential || credential.kind !== 'v4' || credential.revoked)
      return refuse('unknown_credential');
    const { mode, ipRanges: now = [], holder } = credential;
    const needsTwo = mode === 'live' && !areWithin(ipRanges, now);
    const seen = JSON.stringify({ holder, ipRanges: now });
    return ok({ needsTwo, seen, ...(mode === undefined ? {} : { mode }) });
  }

  override describe(
    { credentialId, ipRanges }: IpListDetails,
    seen: string,
  ): readonly ProposalRow[] {
    const now = JSON.parse(seen) as { readonly holder: string; readonly ipRanges: string[] };
    return [
      { field: 'credential', value: credentialId },
      { field: 'holder', value: now.holder },
      { field: 'ips', value: ipRanges.join(', '), before: now.ipRanges.join(', ') },
    ];
  }

  protected override eventOf({ credentialId, ipRanges }: IpListDetails): MerchantEvent {
    return { type: 'IpListChanged', data: { credentialId, ipRanges } };
  }

  /** A narrower list counts at once, as a revocation does. A wider one waits for its event, which may be refused. */
  protected override isRecordedFirst(details: IpListDetails, state: Merchant): boolean {
    if (state.kind === 'none') return false;
    const now = credentialOf(details.credentialId, state)?.ipRanges;
    return areWithin(details.ipRanges, now ?? []);
  }

  protected override record(
    { credentialId, ipRanges }: IpListDetails,
    revision: bigint,
  ): Promise<void> {
    return this.secrets.allowFrom(credentialId, ipRanges, revision);
  }
}
