import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { decideIssueCredential } from '../issue-credential/issue-credential.command.js';
import { hasSimilarHolder } from '../holders.js';
import { merchantDecider } from '../merchant.js';
import { type Ending, endOf, merchantStream } from '../merchant.events.js';
import { CredentialSecrets, UniqueNames } from '../ports.js';

export interface IssuedCheckoutKey {
  readonly credentialId: string;
  /** Part of each link. */
  readonly checkoutKeyId: string;
  /** Keys the links' hash, HMAC-SHA256. Shown once. */
  readonly checkoutSecret: string;
}

export type IssueCheckoutKeyRefusal = 'unknown_merchant' | 'similar_holder';

/** Issues a key with which a holder makes V4's checkout links. */
export class IssueCheckoutKey extends Command<Result<IssuedCheckoutKey, IssueCheckoutKeyRefusal>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      readonly holder: string;
    } & Ending,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(IssueCheckoutKey)
export class IssueCheckoutKeyHandler implements ICommandHandler<IssueCheckoutKey> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly names: UniqueNames,
    private readonly secrets: CredentialSecrets,
  ) {}

  async execute({
    details,
    metadata,
  }: IssueCheckoutKey): Promise<Result<IssuedCheckoutKey, IssueCheckoutKeyRefusal>> {
    const { merchantId, mode, holder, expiresAt } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    if (before.state.kind === 'none') return refuse('unknown_merchant');
    if (hasSimilarHolder(holder, before.state)) return refuse('similar_holder');
    const credentialId = this.pipeline.newId();
    const keyId = await this.names.issueName('checkout_key', credentialId);
    if (expiresAt !== undefined) await this.secrets.endAt(credentialId, expiresAt, 0n);
    const checkoutSecret = await this.secrets.keepLinkSecret(credentialId);
    const named = { credentialId, kind: 'checkout', mode, holder, keyId } as const;
    const credential = { ...named, ...endOf(details) };
    const issued = await this.pipeline.run(
      step,
      (state) => decideIssueCredential(credential, state),
      before,
    );
    return issued.ok ? ok({ credentialId, checkoutKeyId: keyId, checkoutSecret }) : issued;
  }
}
