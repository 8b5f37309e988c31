import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type AccountChannelsSet, firstChannel, merchantStream } from '../merchant.events.js';

/** `first_channel_missing`: V3, the checkout page and payments without a push use it. */
export type ChannelsRefusal = 'unknown_merchant' | 'unknown_account' | 'first_channel_missing';

/** Sets the rails over which V4 may move an account's money (AIR-9). */
export class SetAccountChannels extends Command<Result<undefined, ChannelsRefusal>> {
  constructor(
    readonly details: AccountChannelsSet['data'] & { readonly merchantId: string },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetAccountChannels)
export class SetAccountChannelsHandler implements ICommandHandler<SetAccountChannels> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details: { merchantId, ...channels },
    metadata,
  }: SetAccountChannels): Promise<Result<undefined, ChannelsRefusal>> {
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const set = await this.pipeline.run(step, (state) => decideSetChannels(channels, state));
    return set.ok ? ok(undefined) : set;
  }
}

/** Returns the list as a set, the first channel in front. */
export function decideSetChannels(
  { accountNo, channels }: AccountChannelsSet['data'],
  state: Merchant,
): Result<readonly AccountChannelsSet[], ChannelsRefusal> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  if (!state.accounts.some((account) => account.accountNo === accountNo))
    return refuse('unknown_account');
  if (!channels.includes(firstChannel)) return refuse('first_channel_missing');
  const others = [...new Set(channels)].filter((channel) => channel !== firstChannel).sort();
  const data = { accountNo, channels: [firstChannel, ...others] };
  return ok([{ type: 'AccountChannelsSet', data }]);
}
