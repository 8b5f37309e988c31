import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { type FinalNoticeIssued, retirementStream } from '../retirement.events.js';
import { type Retirement, retirementDecider } from '../retirement.js';

/** `no_text`: a notice needs a text. */
export type FinalNoticeRefusal = 'v3_is_retired' | 'no_text';

/** Records the final notice to V3's merchants. V3 may be retired 30 days after it. */
export class IssueFinalNotice extends Command<Result<undefined, FinalNoticeRefusal>> {
  constructor(
    readonly text: string,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(IssueFinalNotice)
export class IssueFinalNoticeHandler implements ICommandHandler<IssueFinalNotice> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    text,
    metadata,
  }: IssueFinalNotice): Promise<Result<undefined, FinalNoticeRefusal>> {
    const issued = await this.pipeline.run(
      { decider: retirementDecider, stream: retirementStream, metadata },
      (state) => decideIssueFinalNotice(text, state),
    );
    return issued.ok ? ok(undefined) : issued;
  }
}

/** Further notices may follow, for example with a correction. The 30 days count from the first one. */
export function decideIssueFinalNotice(
  text: string,
  state: Retirement,
): Result<readonly FinalNoticeIssued[], FinalNoticeRefusal> {
  if (state.kind === 'retired') return refuse('v3_is_retired');
  if (text.trim() === '') return refuse('no_text');
  return ok([{ type: 'FinalNoticeIssued', data: { text: text.trim() } }]);
}
