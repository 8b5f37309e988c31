import { listUnmatchedPayments, type ListedUnmatched } from '#adapters/records';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { itemOf } from '#views/cases';
import { money } from '../../money.js';
import { parseMode } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { openReview, postCorrection } from '../../reconcile/commands.js';
import { Refused } from '../../refused.js';
import { look } from '../look.js';

/** More than a team works off in a day. */
const maxListed = 1_000;
/** What M-Pesa carries. */
const currency = 'KES';

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
      ['', payment.paidAt, payment.receipt, money(payment.amountMinor, currency), payment.mode]
        .concat(payment.party ?? [])
        .join('  '),
      `    ${whatToDo[payment.why]}`,
      `      ${commandOf(payment)}`,
    ]),
  ];
}

const whatToDo = {
  nobody_asked:
    'nobody asked for it: post it to suspense; from there it goes to the wallet of whom it was for, or back',
  not_settled:
    'its collection is not settled by any query: open its review; another operator confirms',
  paid_twice:
    'its collection was paid already: post it to suspense; from there it goes back at the rail or to the merchant',
} as const satisfies Record<ListedUnmatched['why'], string>;

/**
 * Money that no query settles goes to suspense, under its receipt, so that the ledger holds it whatever is decided. Where
 * the merchant is not known, it says so in its place: a person finds out.
 */
function commandOf(payment: ListedUnmatched): string {
  const { why, stream, mode, receipt, amountMinor, day } = payment;
  const reason = `asked the rail about ${day}`;
  const item = stream === null ? undefined : itemOf(stream);
  if (item && why === 'not_settled')
    return openReview({ type: item.type, ...item.key }, payment, reason);
  return postCorrection(
    { merchantId: item?.key.merchantId ?? 'MERCHANT', mode, currency },
    {
      legs: [
        ['suspense', amountMinor],
        ['rail-clearing:mpesa', -amountMinor],
      ],
      ...(item && stream !== null ? { corrects: stream } : {}),
      receipt,
    },
    reason,
  );
}

function jsonOf(payment: ListedUnmatched): object {
  const { channel, mode, receipt, day, amountMinor, paidAt, code, party, stream, why } = payment;
  const item = stream === null ? undefined : itemOf(stream);
  return {
    ...{ channel, mode, receipt, day, why, code, party },
    amount_minor: amountMinor,
    paid_at: paidAt,
    merchant_id: item?.key.merchantId ?? null,
    reference: item?.key.reference ?? null,
    what: whatToDo[why],
    command: commandOf(payment),
  };
}
