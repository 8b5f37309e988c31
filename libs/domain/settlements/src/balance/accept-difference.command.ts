import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, EventStore, Pipeline } from '#domain/event-sourcing';
import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { balanceDecider } from './compare-balance.command.js';
import {
  type DifferenceCause,
  type RailAccounts,
  type RailBalanceAccepted,
  type RailBalanceEvent,
  railBalanceStream,
} from './rail-balance.events.js';

/**
 * `nothing_compared`: there is no comparison. `another_difference`: the last comparison shows another one, or it was
 * accepted meanwhile.
 */
export type AcceptRefusal = 'nothing_compared' | 'another_difference';

/** Accepts the difference of the last comparison, with its cause (BAL-6). It moves no money. */
export class AcceptRailDifference extends Command<
  Result<RailBalanceAccepted['data'], AcceptRefusal>
> {
  constructor(
    readonly accounts: Pick<RailAccounts, 'channel' | 'mode'>,
    readonly accepted: { readonly amountMinor: Minor; readonly cause: DifferenceCause },
    /** Its actor is the operator, and it has a reason. */
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(AcceptRailDifference)
export class AcceptRailDifferenceHandler implements ICommandHandler<AcceptRailDifference> {
  constructor(
    private readonly store: EventStore,
    private readonly pipeline: Pipeline,
  ) {}

  /** @throws EventStoreUnavailable */
  async execute({
    accounts,
    accepted: { amountMinor, cause },
    metadata,
  }: AcceptRailDifference): Promise<Result<RailBalanceAccepted['data'], AcceptRefusal>> {
    const stream = railBalanceStream(accounts);
    const last = await this.store.readLast<RailBalanceEvent>(stream);
    if (!last) return refuse('nothing_compared');
    if (last.type !== 'RailBalanceCompared' || last.data.differenceMinor !== amountMinor)
      return refuse('another_difference');
    const { channel, mode, currency } = last.data;
    const openingMinor = last.data.openingMinor + amountMinor;
    const data = { channel, mode, currency, cause, amountMinor, openingMinor };
    const step = { decider: balanceDecider, stream, metadata };
    const before = { state: last, revision: last.revision };
    const appended = await this.pipeline.appendTo(step, before, [
      { type: 'RailBalanceAccepted', data },
    ]);
    return appended.ok ? ok(data) : refuse('another_difference');
  }
}
