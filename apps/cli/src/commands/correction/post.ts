import { type CorrectionTerms, ProposeCorrection } from '#domain/corrections';
import { type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { UuidIds } from '#infra/runtime';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { correctionRefusals } from '../../desk/refusals.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import {
  merchantOption,
  modeOption,
  parseCorrectionId,
  parseCurrency,
  parseLeg,
  parseReceipt,
} from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { correctionJson, correctionLines } from './correction-text.js';

interface PostOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly leg: readonly Leg[];
  readonly id?: string;
  readonly corrects?: string;
  readonly receipt?: string;
  readonly mayOverdraw?: true;
}

export const post = change(
  'post',
  'proposes a correction; nothing moves before another operator confirms it',
  'correction post --merchant M --mode live --currency KES --leg wallet:1000000001=-9850 ' +
    '--leg fees=-150 --leg rail-clearing:mpesa=10000 --corrects collection-live:M:INV-1001 ' +
    '--receipt NLK8RU72TW --may-overdraw --reason "reversed by Safaricom, statement of 20 November"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--currency <code>', 'the currency of all legs', parseCurrency)
  .requiredOption(
    '--leg <account=minor>',
    'one for each account that is moved; a debit is negative, and all sum to zero',
    parseLeg,
  )
  .option(
    '--id <uuid>',
    'the same id is the same correction, however often it is sent',
    parseCorrectionId,
  )
  .option(
    '--corrects <stream>',
    'the stream to correct: collection-<mode>:<merchant>:<reference>, or a correction’s',
  )
  .option('--receipt <code>', 'the rail’s own receipt of this movement', parseReceipt)
  .option('--may-overdraw', 'the rail took the money already: the wallet may go negative')
  .action(async (options: PostOptions) => {
    const { id = new UuidIds().next(), mode } = options;
    const command = new ProposeCorrection(
      { mode, id },
      termsOf(options),
      operatorMetadata(options),
    );
    const result = await withApp((app) => app.get(CommandBus).execute(command));
    if (!result.ok) throw new Refused([correctionRefusals[result.refusal]]);
    if (options.json) printJson(correctionJson(id, result.value));
    else
      printLines([
        ...correctionLines(id, result.value),
        ...(result.value.status === 'proposed'
          ? [`another operator posts it: npx pesapost correction confirm ${id} --mode ${mode}`]
          : []),
      ]);
  });

function termsOf(options: PostOptions): CorrectionTerms {
  const { merchant: merchantId, mode, currency, leg: legs, reason: why } = options;
  const { corrects, receipt, mayOverdraw } = options;
  return {
    merchantId,
    mode,
    currency,
    legs,
    why,
    ...(corrects === undefined ? {} : { corrects }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(mayOverdraw === undefined ? {} : { mayOverdraw }),
  };
}
