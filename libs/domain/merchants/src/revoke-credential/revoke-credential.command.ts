import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type CredentialRevoked, merchantStream } from '../merchant.events.js';
import { CredentialSecrets } from '../ports.js';

/** Ends a credential everywhere within a second: its secret and tokens go first, then history says so. */
export class RevokeCredential extends Command<Result<undefined, 'unknown_credential'>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly credentialId: string },
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
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    const known = decideRevokeCredential(credentialId, before.state);
    if (!known.ok) return known;
    await this.secrets.revoke(credentialId);
    const revoked = await this.pipeline.run(
      step,
      (state) => decideRevokeCredential(credentialId, state),
      before,
    );
    return revoked.ok ? ok(undefined) : revoked;
  }
}

/** Revoking twice says it once. */
export function decideRevokeCredential(
  credentialId: string,
  state: Merchant,
): Result<readonly CredentialRevoked[], 'unknown_credential'> {
  const credential =
    state.kind === 'registered' &&
    state.credentials.find((candidate) => candidate.credentialId === credentialId);
  if (!credential) return refuse('unknown_credential');
  if (credential.revoked) return ok([]);
  return ok([{ type: 'CredentialRevoked', data: { credentialId } }]);
}
