import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type IpListChanged, merchantStream } from '../merchant.events.js';
import { CredentialSecrets } from '../ports.js';

/** Sets from where a V4 credential may call, on every replica within a second; its tokens stay good. */
export class SetIpList extends Command<Result<undefined, 'unknown_credential'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly credentialId: string;
      /** The whole list: addresses and CIDR ranges. */
      readonly ipRanges: readonly string[];
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetIpList)
export class SetIpListHandler implements ICommandHandler<SetIpList> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly secrets: CredentialSecrets,
  ) {}

  /** The records first, as for a revocation: an address that is shut out must not wait for a projector. */
  async execute({
    details,
    metadata,
  }: SetIpList): Promise<Result<undefined, 'unknown_credential'>> {
    const { merchantId, credentialId, ipRanges } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    const known = decideSetIpList(details, before.state);
    if (!known.ok) return known;
    await this.secrets.allowFrom(credentialId, ipRanges);
    const set = await this.pipeline.run(step, (state) => decideSetIpList(details, state), before);
    return set.ok ? ok(undefined) : set;
  }
}

/** Only V4's credentials have a list, and a revoked one needs none. */
export function decideSetIpList(
  { credentialId, ipRanges }: Pick<SetIpList['details'], 'credentialId' | 'ipRanges'>,
  state: Merchant,
): Result<readonly IpListChanged[], 'unknown_credential'> {
  const credential =
    state.kind === 'registered' &&
    state.credentials.find((candidate) => candidate.credentialId === credentialId);
  if (!credential || credential.kind !== 'v4' || credential.revoked)
    return refuse('unknown_credential');
  return ok([{ type: 'IpListChanged', data: { credentialId, ipRanges } }]);
}
