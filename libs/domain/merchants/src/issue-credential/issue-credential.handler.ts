import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { merchantDecider } from '../merchant.js';
import { merchantStream } from '../merchant.events.js';
import { CredentialSecrets, UniqueNames } from '../ports.js';
import {
  IssueCredential,
  type IssueCredentialRefusal,
  type IssuedCredential,
} from './issue-credential.command.js';
import { decideIssueCredential } from './issue-credential.decide.js';

@CommandHandler(IssueCredential)
export class IssueCredentialHandler implements ICommandHandler<IssueCredential> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly names: UniqueNames,
    private readonly secrets: CredentialSecrets,
  ) {}

  async execute({
    details,
    metadata,
  }: IssueCredential): Promise<Result<IssuedCredential, IssueCredentialRefusal>> {
    const { merchantId, mode, holder, publicKey, ipRanges, rate } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    if (before.state.kind === 'none') return refuse('unknown_merchant');
    const credentialId = this.pipeline.newId();
    // A key signs for one credential only: evidence must name one holder.
    const fresh = await this.names.reserve('key_fingerprint', publicKey.fingerprint, credentialId);
    if (!fresh) return refuse('key_taken');

    const { clientId, clientSecret } = await this.secrets.issue(credentialId);
    const credential = {
      credentialId,
      kind: 'v4',
      mode,
      holder,
      clientId,
      publicKeyPem: publicKey.pem,
      ipRanges,
      ...(rate === undefined ? {} : { rate }),
    } as const;
    const issued = await this.pipeline.run(
      step,
      (state) => decideIssueCredential(credential, state),
      before,
    );
    return issued.ok ? ok({ credentialId, clientId, clientSecret }) : issued;
  }
}
