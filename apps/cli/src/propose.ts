import { type Change, type OpenProposal, Propose, type ProposeRefusal } from '#domain/proposals';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from './app.js';
import { type ChangeOptions, noteStandstill, operatorMetadata, show } from './operator.js';
import { printJson, printLines } from './print.js';
import { Refused } from './refused.js';

/** A change as an operator gives it on the command line. */
type GivenOptions = ChangeOptions & { readonly merchant?: string };

/**
 * Makes the change, or proposes it if it takes two admins (PEO-30), and shows the outcome.
 * @param explain the meaning of each of the subject's refusals to a person, and the next step
 * @throws Refused
 */
export async function propose<Details, Value extends object | undefined, Refusal extends string>(
  change: Change<Details, Value, Refusal>,
  details: Details,
  options: GivenOptions,
  explain: Readonly<Record<Refusal, string>>,
): Promise<void> {
  const done = await makeOrPropose(change, details, options, explain);
  if (done) show(done.value ?? {}, options);
}

/**
 * Makes or proposes a change like `propose`, for a command that shows the result of a change itself.
 * @returns undefined if it is proposed, which is shown
 * @throws Refused
 */
export async function makeOrPropose<
  Details,
  Value extends object | undefined,
  Refusal extends string,
>(
  change: Change<Details, Value, Refusal>,
  details: Details,
  options: GivenOptions,
  explain: Readonly<Record<Refusal, string>>,
): Promise<{ readonly value: Value } | undefined> {
  const result = await withApp(async (app) => {
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const done = await app.get(CommandBus).execute(new Propose(change, details, metadata));
    if (done.ok && done.value.kind === 'done') await noteStandstill(app, options);
    return done;
  });
  if (!result.ok) {
    const words: Readonly<Record<string, string>> = { ...explain, ...proposeRefusals };
    throw new Refused([words[result.refusal] ?? result.refusal]);
  }
  if (result.value.kind === 'done') return result.value;
  showProposed(result.value.proposal, options);
  return undefined;
}

/** Nothing has changed yet: another admin confirms. */
function showProposed({ id, endsAt }: OpenProposal, { json }: GivenOptions): void {
  if (json) printJson({ status: 'proposed', proposal_id: id, ends_at: endsAt });
  else
    printLines([
      `proposed: nothing has changed yet. Another admin confirms it until ${endsAt}, in the portal or with`,
      `npx pesapost pending confirm ${id}`,
    ]);
}

/** Refusals of the proposing itself, in words. */
export const proposeRefusals = {
  not_admin:
    'this lets live money out: only an admin proposes it, and another admin confirms (npx pesapost role list)',
  no_admins:
    'this takes two admins, and there are none yet: grant the first two (npx pesapost role first-admins --help)',
  changed: 'it has just changed: look at it again, then give the command once more',
} as const satisfies Record<ProposeRefusal, string>;
