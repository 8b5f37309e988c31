import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type CredentialIssued, merchantStream } from '../merchant.events.js';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { CredentialSecrets, UniqueNames } from '../ports.js';

export function decideIssueCredential(
  credential: CredentialIssued['data'],
  state: Merchant,
): Result<readonly CredentialIssued[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'CredentialIssued', data: credential }]);
}

/** A merchant's public key, RSA of 2048 bits or more, as the edge has parsed it. */
export interface InspectedKey {
  readonly pem: string;
  /** SHA-256 of its DER form, lower-case hex. */
  readonly fingerprint: string;
}

export type IssueCredentialRefusal = 'unknown_merchant' | 'key_taken';

export interface IssuedCredential {
  readonly credentialId: string;
  readonly clientId: string;
  /** Shown once; only its hash is kept. */
  readonly clientSecret: string;
}

/** Gives a holder a V4 credential: a client id and secret for tokens, and the key that its requests are signed with. */
export class IssueCredential extends Command<Result<IssuedCredential, IssueCredentialRefusal>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      readonly holder: string;
      readonly publicKey: InspectedKey;
      readonly ipRanges: readonly string[];
      readonly rate?: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

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
