import { Command } from '@nestjs/cqrs';
import { type Mode, type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

/** Opens a wallet of one mode and one currency under a number that we issue. */
export class OpenAccount extends Command<Result<{ accountNo: string }, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      /** ISO 4217. */
      readonly currency: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
