import { type CorrectionTerms, ProposeCorrection, type ProposeRefusal } from '#domain/corrections';
import { type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';
import { UuidIds } from '#infra/runtime';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption, parseCurrency } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { parseReceipt } from '../review/payment-options.js';
import { correctionJson, correctionLines } from './correction-text.js';
import { parseCorrectionId, parseLeg } from './leg-option.js';

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
  'correction post --merchant M --mode live --currency KES --leg wallet:100000001=-9850 ' +
    '--leg fees=-150 --leg rail-clearing:mpesa=10000 --corrects collection-live:M:INV-1001 ' +
    '--receipt NLK8RU72TW --may-overdraw --reason "reversed by Safaricom, statement of 20 November"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .requiredOption('--currency <code>', 'of all legs', parseCurrency)
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
    'what is put right: collection-<mode>:<merchant>:<reference>, or a correction’s',
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
    if (!result.ok) throw new Refused([explain[result.refusal]]);
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
    ...{ merchantId, mode, currency, legs, why },
    ...(corrects === undefined ? {} : { corrects }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(mayOverdraw === undefined ? {} : { mayOverdraw }),
  };
}

const explain = {
  too_few_legs: 'a correction moves at least two accounts: give --leg for each',
  too_many_legs: 'a correction has 20 legs at most: split it',
  leg_of_nothing: 'a leg moves something',
  amount_too_large: 'a leg moves at most 10^15 minor units',
  account_repeated: 'each account has one leg: add up what it gets and gives',
  not_balanced: 'the legs do not sum to zero: what one account gets, another gives',
  several_wallets_debited: 'a correction takes from one wallet at most: write one for each',
  unknown_account:
    'an account is unknown: a wallet must be the merchant’s in this mode and currency, the rail is mpesa',
  unknown_stream:
    'what --corrects names is no collection or correction of this merchant in this mode: npx pesapost show REFERENCE',
  id_reused: 'this id has another correction already: npx pesapost correction show ID',
  overdraw_needs_rail:
    '--may-overdraw is for what the rail did: give its --receipt and a leg of rail-clearing:mpesa',
  receipt_taken: 'the receipt is written down elsewhere already: npx pesapost find RECEIPT',
} as const satisfies Record<ProposeRefusal, string>;
