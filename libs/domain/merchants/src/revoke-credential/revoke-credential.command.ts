import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

/** Ends a credential everywhere within a second: its secret and tokens go first, then history says so. */
export class RevokeCredential extends Command<Result<undefined, 'unknown_credential'>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly credentialId: string },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
