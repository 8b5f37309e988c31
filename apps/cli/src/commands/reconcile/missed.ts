import { listUnmatchedPayments, type ListedUnmatched } from '#adapters/records';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { itemOf } from '#views/cases';
import { money } from '../../money.js';
import { parseMode } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { missedStep, railCurrency } from '../../reconcile/missed-step.js';
import { Refused } from '../../refused.js';
import { look } from '../look.js';

/** More than a team works off in a day. */
const maxListed = 1_000;

export const missed = look(
  'missed',
  'payments that the rail says it took and the ledger does not hold, the oldest first',
  'reconcile missed --mode live',
)
  .addOption(new Option('--mode <mode>', 'live or demo').argParser(parseMode))
  .action(async ({ mode }: { readonly mode?: Mode }, command: Command) => {
    const filter = { ...(mode === undefined ? {} : { mode }), limit: maxListed };
    const payments = await withApp((app) => listUnmatchedPayments(app.get(Database), filter));
    if (command.optsWithGlobals<{ readonly json?: true }>().json)
      printJson({ payments: payments.map(jsonOf) });
    else printLines(textOf(payments));
    if (payments.length > 0) throw new Refused([`${payments.length} open`]);
  });

function textOf(payments: readonly ListedUnmatched[]): readonly string[] {
  return [
    `missed payments: ${payments.length}`,
    ...payments.flatMap((payment) => [
      ['', payment.paidAt, payment.receipt, money(payment.amountMinor, railCurrency), payment.mode]
        .concat(payment.party ?? [])
        .join('  '),
      ...linesOf(missedStep(payment)),
    ]),
  ];
}

function linesOf({ what, command }: ReturnType<typeof missedStep>): readonly string[] {
  return [`    ${what}`, `      ${command}`];
}

function jsonOf(payment: ListedUnmatched): object {
  const { channel, mode, receipt, day, amountMinor, paidAt, code, party, stream, why } = payment;
  const item = stream === null ? undefined : itemOf(stream);
  return {
    channel,
    mode,
    receipt,
    day,
    why,
    code,
    party,
    amount_minor: amountMinor,
    paid_at: paidAt,
    merchant_id: item?.key.merchantId ?? null,
    reference: item?.key.reference ?? null,
    ...missedStep(payment),
  };
}
