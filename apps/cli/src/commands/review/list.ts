import { type InboxRow, listCallbacksLeft } from '#records/rails';
import { instantFromMs, type Mode, modes } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { itemOf, itemStream, itemTypes } from '#desk/operators';
import { noticePrefix } from '#edges/rails';
import { causes } from '#desk/words';
import { listReviews, type OpenReview, type ReviewCause } from '#views/reviews';
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

/** More reviews than a team handles in a day. Options narrow the list. */
const maxReviews = 500;
/** The newest callbacks, of ninety days. */
const maxCallbacks = 500;

interface ListOptions extends MerchantAndModeOptions {
  readonly why?: ReviewCause;
}

export const list = withMerchantAndMode(
  plainCommand(
    'list',
    'lists collections and payouts under review, the oldest first, and callbacks of the inbox that people must decide',
    'review list --mode live --why no_word_from_rail',
  ),
)
  .addOption(new Option('--why <cause>', 'only those').choices(Object.keys(causes)))
  .action(async (options: ListOptions) => {
    const { listed, callbacks, withheld } = await withApp(async (app) => {
      const database = app.get(Database);
      const { merchant, mode, why } = options;
      const filter = {
        ...(merchant === undefined ? {} : { merchantId: merchant }),
        ...(mode === undefined ? {} : { mode }),
        ...(why === undefined ? {} : { why }),
        limit: maxReviews,
      };
      return {
        listed: await listReviews(database, filter),
        callbacks: why === undefined ? await leftCallbacks(database, options) : none,
        withheld: await withheldOf(database, { merchant, mode }),
      };
    });
    if (options.json) printJson(asJson(listed, callbacks));
    else printLines([...reviewLines(listed), ...callbackLines(callbacks)]);
    refuseWithheld(withheld);
  });

/** The newest callbacks. `more` is true if there are older ones beyond the limit. */
export interface UnappliedCallbacks {
  readonly rows: readonly InboxRow[];
  readonly more: boolean;
}

const none: UnappliedCallbacks = { rows: [], more: false };

async function leftCallbacks(
  database: Database,
  { merchant, mode }: ListOptions,
): Promise<UnappliedCallbacks> {
  const wanted = mode === undefined ? modes : [mode];
  const found = await listCallbacksLeft(
    database,
    maxCallbacks + 1,
    wanted.flatMap((each) => streamPrefixes(each, merchant)),
  );
  if (found.length <= maxCallbacks) return { rows: found, more: false };
  // The oldest one is left out that is not the rail's own report of money.
  const last = found.findIndex((row) => !isRailsReport(row));
  return { rows: found.toSpliced(Math.max(0, last), 1), more: true };
}

/** True if the rail itself reported a payment that the ledger does not have (C2B-23). */
function isRailsReport({ told, trusted }: InboxRow): boolean {
  return told && trusted;
}

/** Prefixes of the streams of a mode's collections and payouts, or of a merchant's in it. */
function streamPrefixes(mode: Mode, merchantId = ''): readonly string[] {
  const key = { mode, merchantId, reference: '' };
  const prefixes = itemTypes.map((type) => itemStream({ type, key }));
  if (merchantId !== '') return prefixes;
  // Notices of payments without a push belong to no item yet.
  return [...prefixes.map((prefix) => prefix.slice(0, -1)), noticePrefix(mode)];
}

export type Listed = Awaited<ReturnType<typeof listReviews>>;

function reviewLines({ reviews, more, asOf }: Listed): readonly string[] {
  const heading = `under review: ${reviews.length}${more ? ' and more; narrow the list' : ''} (as of ${asOf})`;
  if (reviews.length === 0) return [heading];
  const rows = reviews.map((review) => [
    review.flaggedAt,
    review.why,
    statusWord(review.status),
    money(review.requestedMinor, review.currency),
    itemOf(review.stream)?.type ?? '',
    review.reference,
    review.mode,
    review.merchantId,
    proposalText(review),
  ]);
  const headings = [
    'since',
    'why',
    'status',
    'asked for',
    'type',
    'reference',
    'mode',
    'merchant',
    'proposal',
  ];
  return [heading, ...table(headings, rows).map((line) => `  ${line}`)];
}

function proposalText({ proposal }: OpenReview): string {
  return proposal ? `${proposal.decision} by ${proposal.proposedBy}, waits` : '-';
}

/** The callbacks as lines for a person. */
export function callbackLines(callbacks: UnappliedCallbacks): readonly string[] {
  const more = callbacks.more ? ', and older ones; narrow the list' : '';
  const heading = `callbacks left for review: ${callbacks.rows.length}${more}`;
  if (callbacks.rows.length === 0) return ['', heading];
  const rows = callbacks.rows.map((row) => {
    const { key } = itemOf(row.stream) ?? {};
    return [
      row.id,
      instantFromMs(row.receivedAt.getTime()),
      row.outcome ?? '',
      String(row.attempts),
      row.sourceAddress,
      key?.reference ?? row.stream,
      key?.mode ?? '',
      key?.merchantId ?? '',
      toldText(row),
    ];
  });
  const headings = [
    ...['id', 'received', 'outcome', 'tries', 'from', 'reference', 'mode', 'merchant'],
    'tells of a payment',
  ];
  const next = callbacks.rows.some(isRailsReport)
    ? [
        '  post the money that the rail reports under its receipt, or: npx pesapost review dismiss ID',
      ]
    : [];
  return ['', heading, ...next, ...table(headings, rows).map((line) => `  ${line}`)];
}

/** The payment that is reported, if the ledger does not have it (C2B-23). */
function toldText(row: InboxRow): string {
  const { told, trusted, toldReceipt, toldMinor, toldPaidAt } = row;
  if (!told) return '-';
  const paidAt = toldPaidAt === null ? 'at an unknown time' : toldPaidAt.toISOString();
  const amount = toldMinor === null ? 'an unreadable amount' : money(toldMinor, 'KES');
  const by = trusted ? '' : ', not by the rail itself';
  return `${toldReceipt ?? 'no receipt'}, ${amount}, ${paidAt}${by}`;
}

/** Reviews and callbacks as members of JSON. */
export function asJson({ reviews, more, asOf }: Listed, callbacks: UnappliedCallbacks): object {
  return {
    as_of: asOf,
    more,
    reviews: reviews.map((review) => ({
      merchant_id: review.merchantId,
      mode: review.mode,
      type: itemOf(review.stream)?.type ?? null,
      reference: review.reference,
      why: review.why,
      since: review.flaggedAt,
      status: review.status,
      requested_minor: review.requestedMinor,
      currency: review.currency,
      receipt: review.receipt,
      proposal: review.proposal && {
        decision: review.proposal.decision,
        proposed_by: review.proposal.proposedBy,
      },
    })),
    more_callbacks: callbacks.more,
    callbacks: callbacks.rows.map((row) => {
      const { type = null, key } = itemOf(row.stream) ?? {};
      return {
        id: row.id,
        type,
        merchant_id: key?.merchantId ?? null,
        mode: key?.mode ?? null,
        reference: key?.reference ?? null,
        received_at: instantFromMs(row.receivedAt.getTime()),
        source_address: row.sourceAddress,
        from_rail: row.trusted,
        tries: row.attempts,
        outcome: row.outcome,
        payment: row.told
          ? {
              receipt: row.toldReceipt,
              amount_minor: row.toldMinor,
              paid_at: row.toldPaidAt === null ? null : instantFromMs(row.toldPaidAt.getTime()),
            }
          : null,
      };
    }),
  };
}
