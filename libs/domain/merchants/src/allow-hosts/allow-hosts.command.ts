import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type HostsAllowed, merchantStream } from '../merchant.events.js';

/**
 * Sets the hosts to which the merchant's callbacks (`callbackUrl`) and its customers (`cbk`, `return_url`) may be sent.
 */
export class AllowHosts extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      /** The whole list, each as `canonicalHost` writes it. */
      readonly hosts: readonly string[];
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(AllowHosts)
export class AllowHostsHandler implements ICommandHandler<AllowHosts> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({ details, metadata }: AllowHosts): Promise<Result<undefined, 'unknown_merchant'>> {
    const { merchantId, hosts } = details;
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const set = await this.pipeline.run(step, (state) => decideAllowHosts(hosts, state));
    return set.ok ? ok(undefined) : set;
  }
}

/** The list as a set: each host once, in one order. */
export function decideAllowHosts(
  hosts: readonly string[],
  state: Merchant,
): Result<readonly HostsAllowed[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'HostsAllowed', data: { hosts: [...new Set(hosts)].sort() } }]);
}
