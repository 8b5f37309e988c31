import { userInfo } from 'node:os';
import { ConfirmCorrection, type ConfirmCorrectionRefusal } from '#domain/corrections';
import { type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { operatorMetadata } from '../../operator.js';
import { modeOption, parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { look } from '../look.js';
import { correctionJson, correctionLines } from './correction-text.js';
import { parseCorrectionId } from './leg-option.js';

interface ConfirmOptions {
  readonly mode: Mode;
  readonly as: string;
  readonly reason?: string;
  readonly json?: true;
}

export const confirm = look(
  'confirm',
  'agrees to a correction that another operator proposed, which is then posted; safe to repeat',
  'correction confirm 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e --mode live --as joseph',
)
  .argument('<id>', 'the correction’s id', parseCorrectionId)
  .addOption(modeOption)
  .option('--as <name>', 'who', parseForEver, userInfo().username)
  .option('--reason <text>', 'why', parseForEver)
  .action(async (id: string, options: ConfirmOptions) => {
    const command = new ConfirmCorrection({ mode: options.mode, id }, operatorMetadata(options));
    const result = await withApp((app) => app.get(CommandBus).execute(command));
    if (!result.ok) throw new Refused([explain[result.refusal]]);
    if (options.json) printJson(correctionJson(id, result.value));
    else printLines(correctionLines(id, result.value));
  });

const explain = {
  unknown_correction: 'no such correction in this mode: npx pesapost correction list --open',
  same_operator: 'you proposed it: another operator confirms',
  receipt_taken: 'its receipt was written down elsewhere meanwhile: npx pesapost find RECEIPT',
  insufficient_funds:
    'the wallet has less than the correction takes; nothing was reserved. Confirm when it has it, ' +
    'or, where the rail took the money already, post it anew with --receipt and --may-overdraw',
} as const satisfies Record<ConfirmCorrectionRefusal, string>;
