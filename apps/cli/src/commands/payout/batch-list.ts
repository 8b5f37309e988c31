import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { listUnsettledBatches, type UnsettledBatch } from '#views/payouts';
import { withApp } from '../../app.js';
import { money } from '../../money.js';
import { printJson, printLines } from '../../print.js';
import { statusWord } from '../../status-words.js';
import { table } from '../../table.js';
import { plainCommand, withMerchantAndMode } from '../plain-command.js';
import { maxListed, statusOption } from './list.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';

/** The API's status for each step of a batch's own stream. */
const statuses = {
  requested: 'pending_approval',
  approved: 'pending',
  cancelled: 'pending',
  rejected: 'rejected',
} as const satisfies Record<UnsettledBatch['step'], string>;
const steps = { pending_approval: 'requested', pending: 'approved' } as const;

interface ListOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly status?: keyof typeof steps;
  readonly json?: true;
}

export const batchList = withMerchantAndMode(
  plainCommand(
    'list',
    'lists batches with an unsettled payout and what each waits for, the oldest first',
    'payout batch list --mode live --status pending_approval',
  ),
)
  .addOption(statusOption)
  .action(async ({ merchant, mode, status, json }: ListOptions) => {
    const { found, withheld } = await withApp(async (app) => ({
      found: await listUnsettledBatches(app.get(Database), {
        ...(merchant === undefined ? {} : { merchantId: merchant }),
        ...(mode === undefined ? {} : { mode }),
        ...(status === undefined ? {} : { step: steps[status] }),
        limit: maxListed + 1,
      }),
      withheld: await withheldOf(app.get(Database), { merchant, mode }),
    }));
    const listed = found.slice(0, maxListed);
    const more = found.length > maxListed;
    if (json) printJson({ batches: listed.map(jsonOf), more });
    else printLines(textOf(listed, more));
    refuseWithheld(withheld);
  });

function waitsFor({ step, behind, underReview }: UnsettledBatch): string {
  if (behind) return 'the service';
  if (step === 'requested') return 'an approval';
  return underReview > 0 ? 'a person: review list' : 'its payouts: payout list';
}

function jsonOf(batch: UnsettledBatch): object {
  const { key, step, since, count, unsettled, underReview } = batch;
  return {
    merchant_id: key.merchantId,
    mode: key.mode,
    reference: key.reference,
    status: statuses[step],
    waits_for: waitsFor(batch),
    since,
    count,
    unsettled,
    under_review: underReview,
    amount_minor: batch.amountMinor,
    currency: batch.currency,
    account_no: batch.accountNo,
  };
}

function textOf(listed: readonly UnsettledBatch[], more: boolean): readonly string[] {
  const heading = `batches of payouts: ${listed.length}${more ? ' and more; narrow the list' : ''}`;
  if (listed.length === 0) return [heading];
  const rows = listed.map((batch) => [
    batch.since,
    statusWord(statuses[batch.step]),
    waitsFor(batch),
    String(batch.count),
    String(batch.unsettled),
    batch.amountMinor === null ? '-' : money(batch.amountMinor, batch.currency ?? ''),
    batch.key.reference,
    batch.key.mode,
    batch.key.merchantId,
  ]);
  const headings = [
    ...['since', 'status', 'waits for', 'payouts', 'not settled', 'amount'],
    ...['reference', 'mode', 'merchant'],
  ];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}
