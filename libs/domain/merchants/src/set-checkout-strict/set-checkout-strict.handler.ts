import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type CheckoutStrictSet, merchantStream } from '../merchant.events.js';
import { SetCheckoutStrict } from './set-checkout-strict.command.js';

@CommandHandler(SetCheckoutStrict)
export class SetCheckoutStrictHandler implements ICommandHandler<SetCheckoutStrict> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details,
    metadata,
  }: SetCheckoutStrict): Promise<Result<undefined, 'unknown_merchant'>> {
    const { merchantId, strict } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const set = await this.pipeline.run(step, (state) => decideSetCheckoutStrict(strict, state));
    return set.ok ? ok(undefined) : set;
  }
}

export function decideSetCheckoutStrict(
  strict: boolean,
  state: Merchant,
): Result<readonly CheckoutStrictSet[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'CheckoutStrictSet', data: { strict } }]);
}
