import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { merchantDecider } from '../merchant.js';
import { merchantStream } from '../merchant.events.js';
import { ianaTimeZone } from './time-zone.js';

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

@CommandHandler(RegisterMerchant)
export class RegisterMerchantHandler implements ICommandHandler<RegisterMerchant> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details,
    metadata,
  }: RegisterMerchant): Promise<Result<{ merchantId: string }, RegisterMerchantRefusal>> {
    const { merchantId, timezone } = details;
    if (ianaTimeZone(timezone) === undefined) return refuse('invalid_timezone');
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const begun = await this.pipeline.begin(step, [{ type: 'MerchantRegistered', data: details }]);
    return begun.ok ? ok({ merchantId }) : refuse('already_registered');
  }
}
