import {
  type BatchCancelRefusal,
  CancelPayout,
  CancelPayoutBatch,
  type CancelRefusal,
} from '#domain/payouts';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { standing } from '../../case/named.js';
import { change } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { OperatorsVault } from '../../review-ports.module.js';
import { deciding, type DecideOptions, ofPayout } from './decide.js';

type CancelOptions = Omit<DecideOptions, 'amount'>;

/** One operator is enough: the money stays where it is (PAY-45). */
export const cancel = ofPayout(
  change(
    'cancel',
    'cancels a payout that was not given to the rail, approved or not; its money is available again',
    'payout cancel OUT-1001 --merchant M --mode live --reason "wrong number"',
  ),
).action(async (reference: string, options: CancelOptions) => {
  const key = { merchantId: options.merchant, mode: options.mode, reference };
  const { view } = await withApp(async (app) => {
    const { holder, metadata } = await deciding(app, options);
    const result = await app.get(CommandBus).execute(new CancelPayout(key, holder, metadata));
    if (result.ok) return result.value;
    throw new Refused([
      refusals[result.refusal],
      ...(await standing(app, { type: 'payout', key })),
    ]);
  });
  const { status, amountMinor } = view;
  if (options.json) printJson({ outcome: 'cancelled', status, amount_minor: amountMinor });
  else printLines([`cancelled: ${reference} is ${status}`]);
});

export const batchCancel = ofPayout(
  change(
    'cancel',
    'cancels the payouts of a batch that were not given to the rail, approved or not',
    'payout batch cancel salaries-11 --merchant M --mode live --reason "last month’s file"',
  ),
).action(async (reference: string, options: CancelOptions) => {
  const key = { merchantId: options.merchant, mode: options.mode, reference };
  const { view } = await withApp(async (app) => {
    const { holder, metadata } = await deciding(app, options);
    // The service first finishes a request that a crashed process left unfinished, with its numbers.
    await app.get(OperatorsVault).open();
    const result = await app.get(CommandBus).execute(new CancelPayoutBatch(key, holder, metadata));
    if (result.ok) return result.value;
    throw new Refused(whyNotCancelled(result.refusal));
  });
  const { status, count } = view;
  if (options.json) printJson({ outcome: 'cancelled', status, count });
  else
    printLines([
      `cancelled: the payouts of ${reference} that were not given to the rail`,
      `see npx pesapost payout batch show ${reference} --merchant ${key.merchantId} --mode ${key.mode}`,
    ]);
});

const refusals = {
  unknown_payout: 'no such payout: is it the right merchant and mode?',
  not_cancellable:
    'it was given to the rail, or has ended; or it waits with its batch: npx pesapost payout batch cancel',
} as const satisfies Record<CancelRefusal, string>;

const batchRefusals = {
  unknown_batch: 'no such batch of payouts: is it the right merchant and mode?',
  not_cancellable:
    'no payout of the batch can be cancelled: each was given to the rail or has ended',
} as const satisfies Record<BatchCancelRefusal['code'], string>;

/** Names the payouts that prevent the batch's cancellation, if there are any (PAY-61). */
export function whyNotCancelled({ code, given }: BatchCancelRefusal): readonly string[] {
  if (given.length === 0) return [batchRefusals[code]];
  const more = given.length > maxNamed ? ` and ${given.length - maxNamed} more` : '';
  return [
    `it is not cancelled: the rail was given ${given.length} of its payouts before: ${given.slice(0, maxNamed).join(', ')}${more}`,
    'these are listed for review: npx pesapost review list',
    'each other payout of an approved batch can be stopped alone: npx pesapost payout cancel',
  ];
}

const maxNamed = 20;
