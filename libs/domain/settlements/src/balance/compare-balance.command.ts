import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, type Decider, EventStore, Pipeline } from '#domain/event-sourcing';
import { type BalanceFigures, compareBalance, isRepeated } from './compare-balance.decide.js';
import {
  type RailBalanceCompared,
  type RailBalanceEvent,
  railBalanceEventTypes,
  railBalanceStream,
} from './rail-balance.events.js';

/** Compares the rail's figure with the ledger's and records the result (BAL-3). */
export class CompareRailBalance extends Command<RailBalanceCompared['data']> {
  constructor(
    readonly figures: BalanceFigures,
    /** Its evidence is the rail's answer. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/** The stream's last event is its state. */
export const balanceDecider: Decider<RailBalanceEvent | undefined, RailBalanceEvent> = {
  types: railBalanceEventTypes,
  initial: undefined,
  evolve: (_state, event) => event,
};

/** Other writers are another worker and a person. */
const maxAttempts = 8;

@CommandHandler(CompareRailBalance)
export class CompareRailBalanceHandler implements ICommandHandler<CompareRailBalance> {
  constructor(
    private readonly store: EventStore,
    private readonly pipeline: Pipeline,
  ) {}

  /** @throws EventStoreUnavailable */
  async execute({ figures, metadata }: CompareRailBalance): Promise<RailBalanceCompared['data']> {
    const stream = railBalanceStream(figures);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const last = await this.store.readLast<RailBalanceEvent>(stream);
      const event = compareBalance(figures, last);
      if (isRepeated(event, last)) return event.data;
      const before = { state: last, revision: last?.revision ?? 'no_stream' } as const;
      const step = { decider: balanceDecider, stream, metadata };
      const appended = await this.pipeline.appendTo(step, before, [event]);
      if (appended.ok) return event.data;
    }
    throw new Error('the stream of balances has too many writers');
  }
}
