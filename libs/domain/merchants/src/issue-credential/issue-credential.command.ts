import { Command } from '@nestjs/cqrs';
import { type Mode, type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

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
