import { Database } from '#infra/postgres';
import { listUnsettledPayouts, type UnsettledPayout } from '#views/payouts';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { money } from '../../money.js';
import { printJson, printLines } from '../../print.js';
import { statusWord } from '../../status-words.js';
import { table } from '../../table.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';

/** More payouts than a person reads. Options narrow the list. */
export const maxListed = 500;

interface ListOptions extends MerchantAndModeOptions {
  readonly status?: 'pending_approval' | 'pending';
}

export const statusOption = new Option('--status <status>', 'only those').choices([
  'pending_approval',
  'pending',
]);

export const list = withMerchantAndMode(
  plainCommand(
    'list',
    'lists payouts that are not settled and what each waits for, the oldest first',
    'payout list --mode live --status pending_approval',
  ),
)
  .addOption(statusOption)
  .action(async ({ merchant, mode, status, json }: ListOptions) => {
    const { found, withheld } = await withApp(async (app) => ({
      found: await listUnsettledPayouts(app.get(Database), {
        ...(merchant === undefined ? {} : { merchantId: merchant }),
        ...(mode === undefined ? {} : { mode }),
        ...(status === undefined ? {} : { status }),
        limit: maxListed + 1,
      }),
      withheld: await withheldOf(app.get(Database), { merchant, mode }),
    }));
    const listed = found.slice(0, maxListed);
    const more = found.length > maxListed;
    if (json) printJson({ payouts: listed.map(jsonOf), more });
    else printLines(textOf(listed, more));
    refuseWithheld(withheld);
  });

/** The meaning of each step in words. */
const waits = {
  requested: 'its money is being reserved',
  reserved: 'an approval',
  approved: 'the sender',
  started: 'the rail’s result',
  paid: 'its posting',
  declined: 'nothing',
  refused: 'nothing',
} as const satisfies Record<UnsettledPayout['step'], string>;

function waitsFor(item: UnsettledPayout): string {
  const { step, waitingForFloat, isPaused, underReview, batch } = item;
  if (isPaused) return 'an operator: payout resume';
  if (underReview) return 'a person: review show';
  if (step === 'reserved' && batch !== null) return 'its batch’s approval';
  return waitingForFloat ? 'the rail’s float' : waits[step];
}

function jsonOf(item: UnsettledPayout): object {
  return {
    merchant_id: item.merchantId,
    mode: item.mode,
    reference: item.reference,
    status: item.status,
    waits_for: waitsFor(item),
    since: item.since,
    amount_minor: item.amountMinor,
    currency: item.currency,
    account_no: item.accountNo,
    batch: item.batch,
    waiting_for_float: item.waitingForFloat,
    paused: item.isPaused,
    under_review: item.underReview,
  };
}

function textOf(listed: readonly UnsettledPayout[], more: boolean): readonly string[] {
  const heading = `payouts: ${listed.length}${more ? ' and more; narrow the list' : ''}`;
  if (listed.length === 0) return [heading];
  const rows = listed.map((item) => [
    item.since,
    statusWord(item.status),
    waitsFor(item),
    money(item.amountMinor, item.currency),
    item.reference,
    item.batch ?? '-',
    item.mode,
    item.merchantId,
  ]);
  const headings = [
    ...['since', 'status', 'waits for', 'amount'],
    ...['reference', 'batch', 'mode', 'merchant'],
  ];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}
