import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

/** Sets to which hosts the merchant's callbacks (`callbackUrl`) and its customers (`cbk`, `return_url`) may be sent. */
export class AllowHosts extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      /** The whole list, each as `canonicalHost` writes it. */
      readonly hosts: readonly string[];
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
