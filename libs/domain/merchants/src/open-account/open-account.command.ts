import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type AccountOpened, merchantStream } from '../merchant.events.js';
import { UniqueNames } from '../ports.js';

/** Opens a wallet of one mode and one currency under an account number that we issue. */
export class OpenAccount extends Command<Result<{ accountNo: string }, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly mode: Mode;
      /** ISO 4217. */
      readonly currency: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

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
