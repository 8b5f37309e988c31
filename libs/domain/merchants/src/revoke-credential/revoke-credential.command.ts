import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { credentialOf, type Merchant, merchantDecider } from '../merchant.js';
import { type CredentialRevoked, merchantStream } from '../merchant.events.js';
import { CredentialSecrets } from '../ports.js';

/**
 * Ends a credential everywhere within a second. Its secret and tokens are deleted first, then the event is appended.
 */
export class RevokeCredential extends Command<Result<undefined, 'unknown_credential'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly credentialId: string;
      /** True if another person may have used it. */
      readonly isCompromised?: true;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeCredential)
export class RevokeCredentialHandler implements ICommandHandler<RevokeCredential> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly secrets: CredentialSecrets,
  ) {}

  async execute({
    details,
    metadata,
  }: RevokeCredential): Promise<Result<undefined, 'unknown_credential'>> {
    const { merchantId, credentialId } = details;
    const decide = (state: Merchant) => decideRevokeCredential(details, state);
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    const known = decide(before.state);
    if (!known.ok) return known;
    await this.secrets.revoke(credentialId);
    const revoked = await this.pipeline.run(step, decide, before);
    return revoked.ok ? ok(undefined) : revoked;
  }
}

/** A second revocation adds nothing, but a compromise may become known later. */
export function decideRevokeCredential(
  { credentialId, isCompromised }: Omit<RevokeCredential['details'], 'merchantId'>,
  state: Merchant,
): Result<readonly CredentialRevoked[], 'unknown_credential'> {
  const credential = state.kind === 'registered' && credentialOf(credentialId, state);
  if (!credential) return refuse('unknown_credential');
  const isNew = isCompromised === true && credential.compromised !== true;
  if (credential.revoked && !isNew) return ok([]);
  const how = isCompromised ? { compromised: true as const } : {};
  return ok([{ type: 'CredentialRevoked', data: { credentialId, ...how } }]);
}
