import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#kernel';
import { Pipeline } from '#event-sourcing';
import { merchantDecider } from '../merchant.js';
import { merchantStream } from '../merchant.events.js';
import { RegisterMerchant } from './register-merchant.command.js';

@CommandHandler(RegisterMerchant)
export class RegisterMerchantHandler implements ICommandHandler<RegisterMerchant> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details,
    metadata,
  }: RegisterMerchant): Promise<Result<{ merchantId: string }, 'already_registered'>> {
    const { merchantId } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const begun = await this.pipeline.begin(step, [{ type: 'MerchantRegistered', data: details }]);
    return begun.ok ? ok({ merchantId }) : refuse('already_registered');
  }
}
