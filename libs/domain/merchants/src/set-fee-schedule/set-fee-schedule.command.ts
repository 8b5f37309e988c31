import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type FeeSchedule } from '#domain/ledger';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type FeeScheduleSet, merchantStream } from '../merchant.events.js';

/** Sets what a merchant pays from now on; the fee of an intent already recorded stays as it was fixed. */
export class SetFeeSchedule extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      readonly feeSchedule: FeeSchedule;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SetFeeSchedule)
export class SetFeeScheduleHandler implements ICommandHandler<SetFeeSchedule> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details,
    metadata,
  }: SetFeeSchedule): Promise<Result<undefined, 'unknown_merchant'>> {
    const { merchantId, mode, feeSchedule } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const set = await this.pipeline.run(step, (state) =>
      decideSetFeeSchedule(mode, feeSchedule, state),
    );
    return set.ok ? ok(undefined) : set;
  }
}

export function decideSetFeeSchedule(
  mode: Mode,
  feeSchedule: FeeSchedule,
  state: Merchant,
): Result<readonly FeeScheduleSet[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'FeeScheduleSet', data: { mode, ...feeSchedule } }]);
}
