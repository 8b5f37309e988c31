import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  CredentialSecrets,
  type IssuedNameKind,
  UniqueNames,
  V3Admission,
  type V3AdmissionRefusal,
} from '../ports.js';
import { type InspectedKey } from '../issue-credential/issue-credential.command.js';
import { merchantDecider } from '../merchant.js';
import { type Ending, endOf, merchantStream } from '../merchant.events.js';
import {
  decideIssueV3Credential,
  v3CredentialRefusal,
  vidOf,
} from './issue-v3-credential.decide.js';

export type IssueV3CredentialRefusal =
  | 'unknown_merchant'
  | 'similar_holder'
  | V3AdmissionRefusal
  | 'key_taken'
  | 'consumer_key_taken'
  | 'vid_taken'
  | 'vid_fixed';

export interface IssuedV3Credential {
  readonly credentialId: string;
  readonly consumerKey: string;
  /** The merchant's name in V3's checkout links. */
  readonly vid: string;
  /** Keys V3's checkout hash, HMAC-SHA1. Shown once. */
  readonly checkoutSecret: string;
}

/**
 * Issues a V3 credential to a holder, for live and demo alike. Consumer key, vid and checkout secret may be those of an
 * existing client; the missing ones are created.
 */
export class IssueV3Credential extends Command<
  Result<IssuedV3Credential, IssueV3CredentialRefusal>
> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly holder: string;
      readonly publicKey: InspectedKey;
      readonly consumerKey?: string;
      /** Fixed after the merchant's first V3 credential. */
      readonly vid?: string;
      readonly checkoutSecret?: string;
    } & Ending,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(IssueV3Credential)
export class IssueV3CredentialHandler implements ICommandHandler<IssueV3Credential> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly names: UniqueNames,
    private readonly secrets: CredentialSecrets,
    private readonly admission: V3Admission,
  ) {}

  async execute({
    details,
    metadata,
  }: IssueV3Credential): Promise<Result<IssuedV3Credential, IssueV3CredentialRefusal>> {
    const { merchantId, holder, publicKey, expiresAt } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    const refusal = v3CredentialRefusal(details, before.state);
    if (refusal !== undefined) return refuse(refusal);
    const closed = await this.admission.refusalFor(merchantId);
    if (closed !== undefined) return refuse(closed);

    // Consumer key and vid belong to the merchant, so that an interrupted command can be repeated.
    const vid = await this.take('vid', details.vid ?? vidOf(before.state), merchantId);
    if (vid === undefined) return refuse('vid_taken');
    const consumerKey = await this.take('consumer_key', details.consumerKey, merchantId);
    if (consumerKey === undefined) return refuse('consumer_key_taken');
    const credentialId = this.pipeline.newId();
    const fresh = await this.names.reserve('key_fingerprint', publicKey.fingerprint, credentialId);
    if (!fresh) return refuse('key_taken');

    if (expiresAt !== undefined) await this.secrets.endAt(credentialId, expiresAt, 0n);
    const checkoutSecret = await this.secrets.keepLinkSecret(credentialId, details.checkoutSecret);
    const credential = {
      credentialId,
      kind: 'v3',
      holder,
      consumerKey,
      publicKeyPem: publicKey.pem,
      ...endOf(details),
    } as const;
    const issued = await this.pipeline.run(
      step,
      (state) => decideIssueV3Credential(credential, { wanted: details.vid, fresh: vid }, state),
      before,
    );
    if (!issued.ok) return issued;
    const named = { credentialId, consumerKey, vid: vidOf(issued.value.state) ?? vid };
    return ok({ ...named, checkoutSecret });
  }

  /** @returns the name, reserved; undefined if another merchant has the given one */
  private async take(
    kind: IssuedNameKind,
    given: string | undefined,
    merchantId: string,
  ): Promise<string | undefined> {
    if (given === undefined) return this.names.issueName(kind, merchantId);
    return (await this.names.reserve(kind, given, merchantId)) ? given : undefined;
  }
}
