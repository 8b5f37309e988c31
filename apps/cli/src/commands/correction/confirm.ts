import { ConfirmCorrection } from '#domain/corrections';
import { Clock, instantFromMs, type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { confirmCorrectionRefusals } from '../../desk/refusals.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { modeOption, parseCorrectionId, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { correctionJson, correctionLines } from './correction-text.js';

interface ConfirmOptions {
  readonly mode: Mode;
  readonly as: string;
  readonly isSignedIn?: true;
  readonly reason?: string;
  readonly json?: true;
}

export const confirm = plainCommand(
  'confirm',
  'confirms a correction that another operator proposed, and posts it; safe to repeat',
  'correction confirm 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e --mode live',
)
  .argument('<id>', 'the correction’s id', parseCorrectionId)
  .addOption(modeOption)
  .addOption(whoOption())
  .option('--reason <text>', 'why', parseForEver)
  .action(async (id: string, options: ConfirmOptions) => {
    const key = { mode: options.mode, id };
    const result = await withApp((app) => {
      const now = instantFromMs(app.get(Clock).nowMs());
      return app
        .get(CommandBus)
        .execute(new ConfirmCorrection(key, operatorMetadata(options), now));
    });
    if (!result.ok) throw new Refused([confirmCorrectionRefusals[result.refusal]]);
    if (options.json) printJson(correctionJson(id, result.value));
    else printLines(correctionLines(id, result.value));
  });
