import { type CommandMetadata, EventStore } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import {
  type BatchDecisionRefusal,
  DecidePayout,
  DecidePayoutBatch,
  type DecisionRefusal,
} from '#domain/payouts';
import { HoldersInLog, personOf } from '#domain/people';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Command, InvalidArgumentError } from 'commander';
import { withApp } from '../../app.js';
import { batchSummary } from '../../case/batch-text.js';
import { nextSection } from '../../case/case-text.js';
import { loadBatch, standing } from '../../case/named.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { merchantOption, modeOption, parseWholeAmount } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { OperatorsVault } from '../../review-ports.module.js';

type Verdict = 'approve' | 'reject';

export interface DecideOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly amount?: bigint;
}

const done = { approve: 'approved', reject: 'rejected' } as const satisfies Record<Verdict, string>;

/**
 * The decision about a payout. An operator decides as the holder of their own name, who may not be the person who asked
 * (PAY-35).
 */
export function decision(verdict: Verdict): Command {
  const about = {
    approve: [
      'approves a payout that another holder requested; it is then sent',
      'approve OUT-1001 --merchant M --mode live --amount 25000 --reason "payroll, seen"',
    ],
    reject: [
      'rejects a payout that another holder requested; its money is available again, and nothing is sent',
      'reject OUT-1001 --merchant M --mode live --amount 25000 --reason "asked for twice"',
    ],
  } as const;
  const [means, example] = about[verdict];
  return decides(change(verdict, means, `payout ${example}`)).action(
    async (reference: string, options: DecideOptions) => {
      const key = { merchantId: options.merchant, mode: options.mode, reference };
      const { view } = await withApp(async (app) => {
        const { holder, metadata, bound } = await deciding(app, options);
        const command = new DecidePayout(key, { verdict, holder, ...bound }, metadata);
        const result = await app.get(CommandBus).execute(command);
        if (result.ok) return result.value;
        const item = { type: 'payout', key } as const;
        throw new Refused([refusals[result.refusal], ...(await standing(app, item))]);
      });
      const { status, amountMinor } = view;
      if (options.json) printJson({ outcome: done[verdict], status, amount_minor: amountMinor });
      else printLines([`${done[verdict]}: ${reference} is ${status}`]);
    },
  );
}

/** The same decision about all payouts of a batch at once (PAY-18). */
export function batchDecision(verdict: Verdict): Command {
  const about = {
    approve: [
      'approves a batch that another holder requested; each payout is then sent',
      'approve salaries-11 --merchant M --mode live --count 240 --reason "payroll, seen"',
    ],
    reject: [
      'rejects a batch that another holder requested; its money is available again, and nothing is sent',
      'reject salaries-11 --merchant M --mode live --reason "last month’s file"',
    ],
  } as const;
  const [means, example] = about[verdict];
  return decides(change(verdict, means, `payout batch ${example}`))
    .option('--count <payouts>', 'refused where the batch has more or fewer', parseCount)
    .action(async (reference: string, options: DecideOptions & { readonly count?: number }) => {
      const { merchant, mode, count } = options;
      const key = { merchantId: merchant, mode, reference };
      const { view } = await withApp(async (app) => {
        const { holder, metadata, bound } = await deciding(app, options);
        const decided = { verdict, holder, ...bound, ...(count === undefined ? {} : { count }) };
        const command = new DecidePayoutBatch(key, decided, metadata);
        // The command first finishes a request that a crashed process left unfinished, with its numbers.
        await app.get(OperatorsVault).open();
        const result = await app.get(CommandBus).execute(command);
        if (result.ok) return result.value;
        if (result.refusal === 'unknown_batch') throw new Refused([batchRefusals.unknown_batch]);
        const found = await loadBatch(app, { reference, merchant, mode });
        const stands = [...batchSummary(found), ...nextSection(found.next, found.sums.asOf)];
        throw new Refused([batchRefusals[result.refusal], '', ...stands]);
      });
      const { status, amountMinor } = view;
      if (options.json)
        printJson({
          outcome: done[verdict],
          status,
          count: view.count,
          amount_minor: amountMinor,
        });
      else printLines([`${done[verdict]}: ${reference} is ${status}, ${view.count} payouts`]);
    });
}

export function ofPayout(command: Command): Command {
  return command
    .argument('<reference>', 'the merchant’s reference')
    .addOption(merchantOption)
    .addOption(modeOption);
}

function decides(command: Command): Command {
  return ofPayout(command).option(
    '--amount <minor>',
    'refused where it is another, in minor units',
    parseWholeAmount,
  );
}

/**
 * The holder that decides, as it is recorded in the event: the operator's name or, for a person who is signed in, the
 * holder that they are at the merchant (PEO-8).
 */
export async function deciding(
  app: INestApplicationContext,
  options: Omit<DecideOptions, 'mode'>,
): Promise<{
  readonly holder: string;
  readonly metadata: CommandMetadata;
  readonly bound: { readonly amountMinor?: bigint };
}> {
  const { as, amount, isSignedIn, merchant } = options;
  const person = isSignedIn && personOf(as);
  const holders = new HoldersInLog(app.get<EventStore>(EventStore));
  const holder = person ? await holders.holderOf(person, merchant) : as;
  const metadata = operatorMetadata(options);
  return {
    holder,
    metadata: { ...metadata, actor: { ...metadata.actor, holder } },
    bound: amount === undefined ? {} : { amountMinor: amount },
  };
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number of payouts');
  return Number(text);
}

const refusals = {
  unknown_payout: 'no such payout: is it the right merchant and mode?',
  same_holder: 'another person than the requester must decide',
  unbound_holder:
    'the requester or the approver is a holder of credentials without a binding, and both could be one person: npx pesapost holder bind; or a former issuer named one of the two: reject it, and have it requested again',
  role_lost: 'you no longer have a role that permits this: an admin grants it with role grant',
  amount_differs: '--amount is not the payout’s: read it with payout show first',
  phone_differs: 'the number is not the payout’s',
  destination_not_allowed:
    'its number is none of those that may be paid now: npx pesapost destinations set, or reject it',
  limit_exceeded:
    'it is more than one payout may be, or the day has no room for it: it goes on waiting (npx pesapost limits set)',
  not_pending_approval:
    'it does not wait for an approval: somebody has decided already, or it is decided with its batch (payout batch). Nor is one rejected that the rail was given before the log was restored: approve it, and the rail is asked',
} as const satisfies Record<DecisionRefusal, string>;

const batchRefusals = {
  unknown_batch: 'no such batch of payouts: is it the right merchant and mode?',
  same_holder: refusals.same_holder,
  unbound_holder: refusals.unbound_holder,
  role_lost: refusals.role_lost,
  count_differs: '--count is not the batch’s: read it with payout batch show first',
  amount_differs: '--amount is not the batch’s: read it with payout batch show first',
  destination_not_allowed: refusals.destination_not_allowed,
  limit_exceeded: 'the day has no room for it: it goes on waiting (npx pesapost limits set)',
  not_pending_approval:
    'it does not wait for an approval: somebody has decided already. Nor is one rejected of which the rail was given payouts before the log was restored: approve it, and the rail is asked',
} as const satisfies Record<BatchDecisionRefusal, string>;
