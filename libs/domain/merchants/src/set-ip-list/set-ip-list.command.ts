import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

/** Sets from where a V4 credential may call, on every replica within a second; its tokens stay good. */
export class SetIpList extends Command<Result<undefined, 'unknown_credential'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly credentialId: string;
      /** The whole list: addresses and CIDR ranges. */
      readonly ipRanges: readonly string[];
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
