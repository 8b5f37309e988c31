import { Database } from '#infra/postgres';
import { listCorrections, type ListedCorrection } from '#views/balances';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { table } from '../../table.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';

/** More corrections than a team writes in months. Options narrow the list. */
const maxListed = 500;

interface ListOptions extends MerchantAndModeOptions {
  readonly open?: true;
}

export const list = withMerchantAndMode(
  plainCommand('list', 'corrections, the newest first', 'correction list --mode live --open'),
)
  .option('--open', 'only those that wait for a second operator')
  .action(async ({ merchant, mode, open, json }: ListOptions) => {
    const filter = {
      ...(merchant === undefined ? {} : { merchantId: merchant }),
      ...(mode === undefined ? {} : { mode }),
      open: open === true,
      limit: maxListed,
    };
    const { listed, withheld } = await withApp(async (app) => ({
      listed: await listCorrections(app.get(Database), filter),
      withheld: await withheldOf(app.get(Database), { merchant, mode }),
    }));
    if (json) printJson({ corrections: listed.corrections.map(jsonOf), more: listed.more });
    else printLines(textOf(listed));
    refuseWithheld(withheld);
  });

function textOf({ corrections, more }: Awaited<ReturnType<typeof listCorrections>>): string[] {
  const heading = `corrections: ${corrections.length}${more ? ' and more; narrow the list' : ''}`;
  if (corrections.length === 0) return [heading];
  const rows = corrections.map((each) => [
    each.proposedAt,
    statusText(each),
    each.proposedBy,
    `${each.currency} ${each.legs.join(' ')}`,
    each.mode,
    each.merchantId,
    each.id,
  ]);
  const headings = ['proposed', 'status', 'by', 'legs in minor units', 'mode', 'merchant', 'id'];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}

function statusText({ confirmedBy, outcome }: ListedCorrection): string {
  if (outcome !== null) return outcome;
  return confirmedBy === null ? 'waits for another operator' : `confirmed by ${confirmedBy}`;
}

function jsonOf(each: ListedCorrection): object {
  return {
    id: each.id,
    status: each.outcome ?? (each.confirmedBy === null ? 'proposed' : 'posted'),
    merchant_id: each.merchantId,
    mode: each.mode,
    currency: each.currency,
    legs: each.legs,
    why: each.why,
    corrects: each.corrects,
    receipt: each.receipt,
    proposed_by: each.proposedBy,
    proposed_at: each.proposedAt,
    confirmed_by: each.confirmedBy,
    posted_at: each.postedAt,
    ended_at: each.endedAt,
  };
}
