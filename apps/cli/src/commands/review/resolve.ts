import {
  type CollectionKey,
  type ResolveRefusal,
  type Resolved,
  ResolveReview,
  type ReviewDecision,
  type Ruling,
} from '#domain/collections';
import { type Instant, type Mode } from '#domain/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import { confirmCommand } from '../../case/decisions.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { parsePaidAt, parseReceipt, parseWholeAmount } from './payment-options.js';
import { explain, standing } from './refusals.js';

interface ResolveOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly decision: ReviewDecision;
  readonly receipt?: string;
  readonly amount?: bigint;
  readonly paidAt?: Instant;
}

const decisions = ['paid', 'failed', 'suspense_to_merchant', 'refunded'] satisfies ReviewDecision[];

export const resolve = change(
  'resolve',
  'decides a review; where money moves, another operator must confirm it',
  'review resolve INV-1001 --merchant M --mode live --decision paid --receipt NLJ7RT61SV ' +
    '--amount 25000 --as asha --reason "on the statement of 20 November, line 12"',
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(merchantOption)
  .addOption(modeOption)
  .addOption(
    new Option('--decision <decision>', 'review show tells which are possible')
      .choices(decisions)
      .makeOptionMandatory(),
  )
  .option('--receipt <receipt>', 'paid: the rail’s receipt, from its statement', parseReceipt)
  .option('--amount <minor>', 'paid: what arrived, in minor units', parseWholeAmount)
  .option('--paid-at <time>', 'paid: the rail’s own time, RFC 3339', parsePaidAt)
  .action(async (reference: string, options: ResolveOptions, usage: Command) => {
    const key = { mode: options.mode, merchantId: options.merchant, reference };
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const command = new ResolveReview(key, rulingOf(options, usage), metadata);
    const resolved = await withApp(async (app) => {
      const result = await app.get(CommandBus).execute(command);
      if (result.ok) return result.value;
      throw new Refused([reasons[result.refusal], ...(await standing(app, key))]);
    });
    if (options.json) printJson(resolvedJson(resolved, key));
    else printLines(resolvedLines(resolved, key));
  });

/** @throws CommanderError where only one of receipt and amount is there, or either without `paid` */
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

/** What each refusal means to whoever proposes. */
export const reasons = {
  ...explain,
  receipt_proposed: 'another collection’s proposal that waits names this receipt: see review list',
} as const satisfies Record<ResolveRefusal, string>;

export function resolvedLines(resolved: Resolved, key: CollectionKey): readonly string[] {
  if (resolved.kind === 'decided') return [`decided: ${key.reference} is ${resolved.view.status}`];
  const { id, ruling } = resolved.proposal;
  return [
    `proposed: ${ruling.decision}. Nothing has changed yet; another operator confirms with`,
    `  ${confirmCommand(key, id)}`,
  ];
}

export function resolvedJson(resolved: Resolved, key: CollectionKey): object {
  return resolved.kind === 'decided'
    ? { outcome: 'decided', status: resolved.view.status }
    : {
        outcome: 'proposed',
        decision: resolved.proposal.ruling.decision,
        proposal_id: resolved.proposal.id,
        confirm: confirmCommand(key, resolved.proposal.id),
      };
}
