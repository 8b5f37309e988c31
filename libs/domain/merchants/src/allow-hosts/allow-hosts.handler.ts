import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { type Merchant, merchantDecider } from '../merchant.js';
import { type HostsAllowed, merchantStream } from '../merchant.events.js';
import { AllowHosts } from './allow-hosts.command.js';

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
