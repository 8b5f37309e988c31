import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type HolderBound, merchantStream } from '../merchant.events.js';
import { type Merchant, merchantDecider } from '../merchant.js';

/**
 * `unknown_holder`: no credential of the merchant has it. `person_has_holder`: the person is another holder here already,
 * and could decide as one what the other asked for.
 */
export type BindHolderRefusal = 'unknown_merchant' | 'unknown_holder' | 'person_has_holder';

/** Says who or what the holder of a merchant's credentials is (PEO-8). */
export class BindHolder extends Command<Result<undefined, BindHolderRefusal>> {
  constructor(
    readonly merchantId: string,
    readonly binding: HolderBound['data'],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(BindHolder)
export class BindHolderHandler implements ICommandHandler<BindHolder> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    merchantId,
    binding,
    metadata,
  }: BindHolder): Promise<Result<undefined, BindHolderRefusal>> {
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const bound = await this.pipeline.run(step, (state) => decideBindHolder(binding, state));
    return bound.ok ? ok(undefined) : bound;
  }
}

export function decideBindHolder(
  binding: HolderBound['data'],
  state: Merchant,
): Result<readonly HolderBound[], BindHolderRefusal> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  if (!state.credentials.some(({ holder }) => holder === binding.holder))
    return refuse('unknown_holder');
  const others = state.holders.filter(({ holder }) => holder !== binding.holder);
  if ('person' in binding && others.some((other) => personOf(other) === binding.person))
    return refuse('person_has_holder');
  const now = state.holders.find(({ holder }) => holder === binding.holder);
  if (now && personOf(now) === personOf(binding) && systemOf(now) === systemOf(binding))
    return ok([]);
  return ok([{ type: 'HolderBound', data: binding }]);
}

function personOf(binding: HolderBound['data']): string | undefined {
  return 'person' in binding ? binding.person : undefined;
}

function systemOf(binding: HolderBound['data']): string | undefined {
  return 'system' in binding ? binding.system : undefined;
}
