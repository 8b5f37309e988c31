import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { merchantDecider } from '../merchant.js';
import { merchantStream } from '../merchant.events.js';
import { RegisterMerchant, type RegisterMerchantRefusal } from './register-merchant.command.js';
import { ianaTimeZone } from './time-zone.js';

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
