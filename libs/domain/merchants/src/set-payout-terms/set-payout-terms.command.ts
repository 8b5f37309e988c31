import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type Destination,
  type MerchantEvent,
  merchantStream,
  type PayoutBounds,
} from '../merchant.events.js';
import { type Merchant, merchantDecider } from '../merchant.js';

/** `automatic_beyond_max`: what passes alone would be more than what may be asked for at all. */
export type PayoutTermsRefusal = 'unknown_merchant' | 'automatic_beyond_max';

/** Sets what a merchant may pay out from now on: bounds, or the only numbers that may be paid. */
export class SetPayoutTerms extends Command<Result<undefined, PayoutTermsRefusal>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly mode: Mode } & (
      | { readonly bounds: PayoutBounds }
      /** Undefined: any number may be paid. */
      | { readonly destinations: readonly Destination[] | undefined }
    ),
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetPayoutTerms)
export class SetPayoutTermsHandler implements ICommandHandler<SetPayoutTerms> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    details,
    metadata,
  }: SetPayoutTerms): Promise<Result<undefined, PayoutTermsRefusal>> {
    const stream = merchantStream(details.merchantId);
    const step = { decider: merchantDecider, stream, metadata };
    const set = await this.pipeline.run(step, (state) => decideSetPayoutTerms(details, state));
    return set.ok ? ok(undefined) : set;
  }
}

export function decideSetPayoutTerms(
  details: SetPayoutTerms['details'],
  state: Merchant,
): Result<readonly MerchantEvent[], PayoutTermsRefusal> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  const { mode } = details;
  if ('bounds' in details) {
    const { maxMinor, automaticMaxMinor = 0n } = details.bounds;
    if (maxMinor !== undefined && automaticMaxMinor > maxMinor)
      return refuse('automatic_beyond_max');
    return ok([{ type: 'LimitsSet', data: { mode, ...details.bounds } }]);
  }
  const { destinations } = details;
  const named = destinations === undefined ? {} : { destinations };
  return ok([{ type: 'DestinationsSet', data: { mode, ...named } }]);
}
