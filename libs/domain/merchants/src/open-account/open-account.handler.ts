import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type AccountOpened, merchantStream } from '../merchant.events.js';
import { UniqueNames } from '../ports.js';
import { OpenAccount } from './open-account.command.js';

@CommandHandler(OpenAccount)
export class OpenAccountHandler implements ICommandHandler<OpenAccount> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly names: UniqueNames,
  ) {}

  async execute({
    details,
    metadata,
  }: OpenAccount): Promise<Result<{ accountNo: string }, 'unknown_merchant'>> {
    const { merchantId, mode, currency } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const before = await this.pipeline.load(step);
    if (before.state.kind === 'none') return refuse('unknown_merchant');
    const accountNo = await this.names.issueAccountNo(merchantId);
    const opened = await this.pipeline.run(
      step,
      (state) => decideOpenAccount({ accountNo, mode, currency }, state),
      before,
    );
    return opened.ok ? ok({ accountNo }) : opened;
  }
}

export function decideOpenAccount(
  account: AccountOpened['data'],
  state: Merchant,
): Result<readonly AccountOpened[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'AccountOpened', data: account }]);
}
