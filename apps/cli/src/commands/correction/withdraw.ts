import { EndCorrection } from '#domain/corrections';
import { Clock, instantFromMs, type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { endCorrectionRefusals } from '../../desk/refusals.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { modeOption, parseCorrectionId, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

interface WithdrawOptions {
  readonly mode: Mode;
  readonly as: string;
  readonly isSignedIn?: true;
  readonly reason?: string;
  readonly json?: true;
}

export const withdraw = plainCommand(
  'withdraw',
  'withdraws a correction that you proposed, if it is not confirmed yet; safe to repeat',
  'correction withdraw 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e --mode live',
)
  .argument('<id>', 'the correction’s id', parseCorrectionId)
  .addOption(modeOption)
  .addOption(whoOption())
  .option('--reason <text>', 'why', parseForEver)
  .action(async (id: string, options: WithdrawOptions) => {
    const { mode } = options;
    const result = await withApp((app) => {
      const now = instantFromMs(app.get(Clock).nowMs());
      const metadata = operatorMetadata(options);
      return app
        .get(CommandBus)
        .execute(new EndCorrection({ mode, id }, 'withdrawn', now, metadata));
    });
    if (!result.ok) throw new Refused([endCorrectionRefusals[result.refusal]]);
    if (options.json) printJson({ id, mode, status: 'withdrawn' });
    else printLines([`withdrawn: correction ${id}`]);
  });
