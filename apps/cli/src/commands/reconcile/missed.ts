import { type ListedUnmatched, listUnmatchedPayments, type UnmatchedFilter } from '#records/rails';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { itemOf, type MissedPayment, railCurrency } from '#desk/operators';
import { missedNextStep } from '#desk/words';
import { explainingCollections } from '#views/reconciliations';
import { money } from '../../money.js';
import { parseMode } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

export type Missed = ListedUnmatched & MissedPayment;

/** More payments than a team handles in a day. */
const maxListed = 1_000;

export const missed = plainCommand(
  'missed',
  'lists payments that the rail reports and the ledger does not have, the oldest first',
  'reconcile missed --mode live',
)
  .addOption(new Option('--mode <mode>', 'live or demo').argParser(parseMode))
  .action(async ({ mode }: { readonly mode?: Mode }, command: Command) => {
    const filter = { ...(mode === undefined ? {} : { mode }), limit: maxListed };
    const payments = await withApp((app) => missedPayments(app.get(Database), filter));
    if (command.optsWithGlobals<{ readonly json?: true }>().json)
      printJson({ payments: payments.map(missedJson) });
    else printLines([`missed payments: ${payments.length}`, ...missedLines(payments)]);
    if (payments.length > 0) throw new Refused([`${payments.length} open`]);
  });

/** The payments, the oldest first, with the collections that may explain them (REC-31). */
export async function missedPayments(
  database: Database,
  filter: UnmatchedFilter,
): Promise<readonly Missed[]> {
  const payments = await listUnmatchedPayments(database, filter);
  const unasked = payments.filter(({ why }) => why === 'nobody_asked');
  const mayBeOf = await explainingCollections(database, unasked);
  return payments.map((payment) => ({
    ...payment,
    mayBe: payment.why === 'nobody_asked' ? mayBeOf(payment) : [],
  }));
}

/** Each payment with the step to take, as lines for a person. */
export function missedLines(payments: readonly Missed[]): readonly string[] {
  return payments.flatMap((payment) => [
    ['', payment.paidAt, payment.receipt, money(payment.amountMinor, railCurrency), payment.mode]
      .concat(payment.party ?? [])
      .join('  '),
    ...linesOf(payment),
  ]);
}

function linesOf(payment: Missed): readonly string[] {
  const { what, command } = missedNextStep(payment);
  return [`    ${what}`, `      ${command}`];
}

/** A payment and the step to take as members of JSON. */
export function missedJson(payment: Missed): object {
  const { channel, mode, receipt, day, amountMinor, paidAt, code, party, stream, why } = payment;
  const { mayBe = [] } = payment;
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
    may_be: mayBe,
    ...missedNextStep(payment),
  };
}
