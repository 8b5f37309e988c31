import { type ReviewDecision, type Ruling } from '#domain/reviews';
import { type OpenReview, type Resolved, ResolveReview } from '#domain/collections';
import { type Instant, type Mode, ok, refuse, renameRefusal, type Result } from '#domain/kernel';
import { type OpenPayoutReview, ResolvePayoutReview } from '#domain/payouts';
import { type Item, type ItemType } from '#desk/operators';
import { confirmCommand } from '#desk/words';
import { CommandBus } from '@nestjs/cqrs';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { findItem, standing, typeOption } from '../../case/named.js';
import { resolvePayoutRefusals, resolveRefusals } from '../../desk/refusals.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import {
  merchantOption,
  modeOption,
  parsePaidAt,
  parseReceipt,
  parseWholeAmount,
} from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';

/** Options that name the item. */
export interface ItemOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly type?: ItemType;
}

interface ResolveOptions extends ItemOptions {
  readonly decision: ReviewDecision;
  readonly receipt?: string;
  readonly amount?: bigint;
  readonly paidAt?: Instant;
}

const decisions = ['paid', 'failed', 'suspense_to_merchant', 'refunded'] satisfies ReviewDecision[];

export const resolve = change(
  'resolve',
  'decides a review; if money moves, and for every payout, another operator must confirm',
  'review resolve INV-1001 --merchant M --mode live --decision paid --receipt NLJ7RT61SV ' +
    '--amount 25000 --reason "on the statement of 20 November, line 12"',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .addOption(typeOption)
  .addOption(
    new Option('--decision <decision>', 'the decision; review show lists the possible ones')
      .choices(decisions)
      .makeOptionMandatory(),
  )
  .option('--receipt <receipt>', 'paid: the rail’s receipt, from its statement', parseReceipt)
  .option('--amount <minor>', 'paid: what arrived, in minor units', parseWholeAmount)
  .option('--paid-at <time>', 'paid: the rail’s own time, RFC 3339', parsePaidAt)
  .action(async (reference: string, options: ResolveOptions, usage: Command) => {
    const ruling = rulingOf(options, usage);
    await carryOut(reference, options, {
      payout: (key, metadata) => new ResolvePayoutReview(key, ruling, metadata),
      collection: (key, metadata) => new ResolveReview(key, ruling, metadata),
    });
  });

type Key = Item['key'];
type Metadata = ReturnType<typeof operatorMetadata> & { readonly reason: string };

/**
 * Sends the command for the item's type, and shows the outcome.
 * @throws Refused with the state of the item
 */
export async function carryOut(
  reference: string,
  options: ItemOptions,
  command: {
    payout(key: Key, metadata: Metadata): ResolvePayoutReview | OpenPayoutReview;
    collection(key: Key, metadata: Metadata): ResolveReview | OpenReview;
  },
): Promise<void> {
  const key = { mode: options.mode, merchantId: options.merchant, reference };
  const metadata = { ...operatorMetadata(options), reason: options.reason };
  const { item, resolved } = await withApp(async (app) => {
    const { type = 'collection' } = (await findItem(app, key, options.type)) ?? options;
    const item = { type, key };
    const bus = app.get(CommandBus);
    const result =
      type === 'payout'
        ? await resolvePayout(bus, command.payout(key, metadata))
        : await resolveCollection(bus, command.collection(key, metadata));
    if (result.ok) return { item, resolved: result.value };
    throw new Refused([result.refusal, ...(await standing(app, item))]);
  });
  if (options.json) printJson(resolvedJson(resolved, item));
  else printLines(resolvedLines(resolved, item));
}

/** The outcome, or the refusal in words. */
async function resolveCollection(
  bus: CommandBus,
  command: ResolveReview | OpenReview,
): Promise<Result<Resolved, string>> {
  return renameRefusal(await bus.execute(command), resolveRefusals);
}

async function resolvePayout(
  bus: CommandBus,
  command: ResolvePayoutReview | OpenPayoutReview,
): Promise<Result<Resolved, string>> {
  const result = await bus.execute(command);
  if (result.ok) return ok({ kind: 'proposed', proposal: result.value });
  return refuse(resolvePayoutRefusals[result.refusal]);
}

/** @throws CommanderError if only one of receipt and amount is given, or either without `paid` */
function rulingOf({ decision, receipt, amount, paidAt }: ResolveOptions, usage: Command): Ruling {
  if (decision !== 'paid') {
    if (receipt ?? amount ?? paidAt)
      usage.error('error: --receipt, --amount and --paid-at belong to --decision paid');
    return { decision };
  }
  if (receipt === undefined && amount === undefined && paidAt === undefined) return { decision };
  if (receipt === undefined || amount === undefined)
    usage.error('error: --receipt and --amount belong together');
  return {
    decision,
    payment: { receipt, amountMinor: amount, ...(paidAt === undefined ? {} : { paidAt }) },
  };
}

function resolvedLines(resolved: Resolved, item: Item): readonly string[] {
  if (resolved.kind === 'decided')
    return [`decided: ${item.key.reference} is ${resolved.view.status}`];
  const { id, ruling } = resolved.proposal;
  return [
    `proposed: ${ruling.decision}. Nothing has changed yet; another operator confirms with`,
    `  ${confirmCommand(item, id)}`,
  ];
}

function resolvedJson(resolved: Resolved, item: Item): object {
  return resolved.kind === 'decided'
    ? { outcome: 'decided', status: resolved.view.status }
    : {
        outcome: 'proposed',
        decision: resolved.proposal.ruling.decision,
        proposal_id: resolved.proposal.id,
        confirm: confirmCommand(item, resolved.proposal.id),
      };
}
