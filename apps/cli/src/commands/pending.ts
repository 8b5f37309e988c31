import { Proposals, ProposalSubjects } from '#domain/proposals';
import { Database } from '#infra/postgres';
import { listPending, type PendingCollection } from '#views/rail-queries';
import { type Quarantine } from '#views/view-set';
import { type Mode } from '#domain/kernel';
import { type INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { withApp } from '../app.js';
import { money } from '../money.js';
import { printJson, printLines } from '../print.js';
import { table } from '../table.js';
import { decidingCommands } from './proposals/decide.js';
import { proposalJson, proposalLines, type ShownProposal } from './proposals/shown.js';
import { plainCommand, type MerchantAndModeOptions, withMerchantAndMode } from './plain-command.js';
import { Refused } from '../refused.js';
import { refuseWithheld, withheldOf } from '../withheld.js';

interface Scope {
  readonly merchant: string | undefined;
  readonly mode: Mode | undefined;
}

/** More collections than a person reads. Options narrow the list. */
const maxListed = 500;

const list = withMerchantAndMode(
  plainCommand(
    'list',
    'lists collections that wait for the rail’s report, and changes that wait for a second admin, the oldest first',
    'pending list --mode live',
  ),
).action(async ({ merchant, mode, json }: MerchantAndModeOptions) => {
  const { collections, proposals } = await withApp(async (app) => ({
    proposals: await proposalsOf(app, { merchant, mode }),
    collections: await collectionsOf(app.get(Database), { merchant, mode }),
  }));
  if (json) printJson({ ...collectionsJson(collections), proposals: proposals.map(proposalJson) });
  else printLines([...collectionLines(collections), ...proposalLines(proposals)]);
  if ('problem' in collections) throw new Refused([unreadWords(collections.problem)]);
  refuseWithheld(collections.withheld);
});

interface Collections {
  readonly listed: readonly PendingCollection[];
  readonly more: boolean;
  readonly withheld: readonly Quarantine[];
}

/** The reason why the views cannot be read: they do not exist yet, or do not answer. */
interface Unread {
  readonly problem: string;
}

/** Proposals are in the records, so they are listed even if the views cannot be read (PEO-34). */
async function collectionsOf(
  database: Database,
  { merchant, mode }: Scope,
): Promise<Collections | Unread> {
  try {
    const found = await listPending(database, {
      ...(merchant === undefined ? {} : { merchantId: merchant }),
      ...(mode === undefined ? {} : { mode }),
      limit: maxListed + 1,
    });
    return {
      listed: found.slice(0, maxListed),
      more: found.length > maxListed,
      withheld: await withheldOf(database, { merchant, mode }),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function unreadWords(problem: string): string {
  return `incomplete: the collections that wait for the rail could not be read: ${problem} (npx pesapost status)`;
}

/**
 * Proposals about the merchant and the mode, and those about the platform itself. Roles name people, and are listed by
 * `role list`.
 */
async function proposalsOf(
  app: INestApplicationContext,
  { merchant, mode }: Scope,
): Promise<readonly ShownProposal[]> {
  const open = await app.get(Proposals).listOpen(maxListed);
  const subjects = app.get(ProposalSubjects);
  return open
    .filter(({ kind }) => kind !== 'role')
    .filter(({ merchantId = merchant }) => merchant === undefined || merchantId === merchant)
    .filter((proposal) => mode === undefined || (proposal.mode ?? mode) === mode)
    .map((proposal) => ({ ...proposal, rows: subjects.describe(proposal) }));
}

export const pending = new Command('pending')
  .description('collections that wait for the rail, and changes that wait for a second admin')
  .addCommand(list);
decidingCommands('pending').forEach((command) => pending.addCommand(command));

/** Null if they could not be read, so that a script does not take that for an empty list. */
function collectionsJson(collections: Collections | Unread): object {
  if ('problem' in collections) return { pending: null, more: null };
  return { pending: collections.listed.map(jsonOf), more: collections.more };
}

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

function collectionLines(collections: Collections | Unread): readonly string[] {
  if ('problem' in collections) return ['pending: not read'];
  const { listed, more } = collections;
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
