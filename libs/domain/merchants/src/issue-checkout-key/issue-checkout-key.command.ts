import { Command } from '@nestjs/cqrs';
import { type Mode, type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

export interface IssuedCheckoutKey {
  readonly credentialId: string;
  /** Stands in each link. */
  readonly checkoutKeyId: string;
  /** Of the links' hash, HMAC-SHA256. Shown once. */
  readonly checkoutSecret: string;
}

/** Gives a holder a key to make V4's checkout links with. */
export class IssueCheckoutKey extends Command<Result<IssuedCheckoutKey, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      readonly holder: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
