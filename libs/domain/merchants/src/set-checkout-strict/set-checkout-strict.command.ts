import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type CheckoutStrictSet, merchantStream } from '../merchant.events.js';

/**
 * Closes, or reopens, a weakness of V3's checkout hash for a merchant: the values are joined without a separator, so
 * digits can move into and out of `ttl`. Strict: `inv` must equal `oid` or end in a non-digit, and the text after `ttl`
 * must be a whole number or not start like one (the checkout's `isUnambiguous`).
 */
export class SetCheckoutStrict extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly strict: boolean },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

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
