import { Proposals, ProposalSubjects } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { listPending, type PendingCollection } from '#views/rail-queries';
import { type Mode } from '#domain/kernel';
import { type INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { withApp } from '../app.js';
import { money } from '../money.js';
import { printJson, printLines } from '../print.js';
import { table } from '../table.js';
import { confirmProposal, declineProposal } from './proposals/decide.js';
import { proposalJson, proposalLines, type ShownProposal } from './proposals/shown.js';
import { look, type WhoseOptions, withWhose } from './look.js';
import { refuseWithheld, withheldOf } from '../withheld.js';

/** More than anybody reads; narrower lists are an option away. */
const maxListed = 500;

const list = withWhose(
  look(
    'list',
    'collections that wait for the rail’s report, and changes that wait for a second admin; the oldest first',
    'pending list --mode live',
  ),
).action(async ({ merchant, mode, json }: WhoseOptions) => {
  const { found, proposals, withheld } = await withApp(async (app) => ({
    proposals: await proposalsOf(app, { merchant, mode }),
    found: await listPending(app.get(Database), {
      ...(merchant === undefined ? {} : { merchantId: merchant }),
      ...(mode === undefined ? {} : { mode }),
      limit: maxListed + 1,
    }),
    withheld: await withheldOf(app.get(Database), { merchant, mode }),
  }));
  const listed = found.slice(0, maxListed);
  const more = found.length > maxListed;
  if (json)
    printJson({ pending: listed.map(jsonOf), more, proposals: proposals.map(proposalJson) });
  else printLines([...textOf(listed, more), ...proposalLines(proposals)]);
  refuseWithheld(withheld);
});

/** Those that concern the merchant and the mode, the platform's own too. */
async function proposalsOf(
  app: INestApplicationContext,
  { merchant, mode }: { readonly merchant: string | undefined; readonly mode: Mode | undefined },
): Promise<readonly ShownProposal[]> {
  const open = await app.get(Proposals).listOpen(maxListed);
  const subjects = app.get(ProposalSubjects);
  return open
    .filter(({ merchantId = merchant }) => merchant === undefined || merchantId === merchant)
    .filter((proposal) => mode === undefined || (proposal.mode ?? mode) === mode)
    .map((proposal) => ({ ...proposal, rows: subjects.describe(proposal) }));
}

export const pending = new Command('pending')
  .description('collections that wait for the rail, and changes that wait for a second admin')
  .addCommand(list)
  .addCommand(confirmProposal)
  .addCommand(declineProposal);

function jsonOf(item: PendingCollection): object {
  return {
    merchant_id: item.merchantId,
    mode: item.mode,
    reference: item.reference,
    amount_minor: item.amountMinor,
    currency: item.currency,
    rail_reference: item.railReference,
    created_at: item.createdAt,
    under_review: item.underReview,
  };
}

function textOf(listed: readonly PendingCollection[], more: boolean): readonly string[] {
  const heading = `pending: ${listed.length}${more ? ' and more; narrow the list' : ''}`;
  if (listed.length === 0) return [heading];
  const rows = listed.map((item) => [
    item.createdAt,
    money(item.amountMinor, item.currency),
    item.railReference ?? 'push not answered',
    item.underReview ? 'yes' : '-',
    item.reference,
    item.mode,
    item.merchantId,
  ]);
  const headings = ['since', 'amount', 'rail reference', 'review', 'reference', 'mode', 'merchant'];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}
