import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type V3AdmissionRefusal } from '../ports.js';
import { type InspectedKey } from '../issue-credential/issue-credential.command.js';

export type IssueV3CredentialRefusal =
  | 'unknown_merchant'
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
  /** Of V3's checkout hash, HMAC-SHA1. Shown once. */
  readonly checkoutSecret: string;
}

/**
 * Gives a holder a V3 credential, for live and demo alike. Consumer key, vid and checkout secret may be those that
 * a client of years ago has; what is not given is made.
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
      /** Fixed from the merchant's first V3 credential on. */
      readonly vid?: string;
      readonly checkoutSecret?: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
