import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

export type RegisterMerchantRefusal = 'already_registered' | 'invalid_timezone';

/** Adds a merchant; its time zone and country are fixed from here on. */
export class RegisterMerchant extends Command<
  Result<{ merchantId: string }, RegisterMerchantRefusal>
> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly name: string;
      readonly timezone: string;
      readonly country: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
