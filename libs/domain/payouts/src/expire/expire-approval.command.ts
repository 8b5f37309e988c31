import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Instant, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { PayoutAge } from '../ports.js';
import { approvedAtIn } from '../send/send-payout.command.js';
import { isTooOld } from '../send/sending-checks.js';

/** Sends a payout back to its approvers if its approval is too old (PAY-48). Safe to repeat. */
export class ExpireApproval extends Command<Result<'expired' | 'unchanged', 'unknown_payout'>> {
  constructor(
    readonly key: PayoutKey,
    readonly now: Instant,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/** Appends the event at the revision that was read, so it loses against RailPayoutStarted and every other end. */
@CommandHandler(ExpireApproval)
export class ExpireApprovalHandler implements ICommandHandler<ExpireApproval> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly age: PayoutAge,
  ) {}

  /** @throws EventStoreUnavailable */
  async execute({
    key,
    now,
    metadata,
  }: ExpireApproval): Promise<Result<'expired' | 'unchanged', 'unknown_payout'>> {
    const step = payoutStep(payoutStream(key), metadata);
    const before = await this.pipeline.load(step);
    if (before.state.status === 'none') return refuse('unknown_payout');
    if (before.state.status !== 'approved') return ok('unchanged');
    const approvedAt = approvedAtIn(before.events);
    if (!isTooOld({ approvedAt, now, maxAgeMs: this.age.maxMs })) return ok('unchanged');
    const expired = { type: 'PayoutApprovalExpired', data: { why: 'age' } } as const;
    const done = await this.pipeline.appendTo(step, before, [expired]);
    return ok(done.ok ? 'expired' : 'unchanged');
  }
}
