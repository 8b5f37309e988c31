import { Clock } from '#domain/kernel';
import {
  type Case,
  decisionsFor,
  type ItemType,
  nextActions,
  type PossibleDecision,
  RailSchedule,
} from '#desk/operators';
import { confirmCommand, meanings, resolveCommand } from '#desk/words';
import { withApp } from '../../app.js';
import { caseJson } from '../../case/case-json.js';
import { nextSection, proposalSection, summary, triedSections } from '../../case/case-text.js';
import { loadCase, typeOption } from '../../case/named.js';
import { printJson, printLines } from '../../print.js';
import { section } from '../../table.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';

export const show = withMerchantAndMode(
  plainCommand(
    'show',
    'the facts of a collection or payout, the attempts so far, and the possible decisions',
    'review show INV-1001 --merchant M --mode demo',
  ),
)
  .argument('<reference>', 'the merchant’s reference')
  .addOption(typeOption)
  .action(
    async (reference: string, options: MerchantAndModeOptions & { readonly type?: ItemType }) => {
      const { found, next, now } = await withApp(async (app) => {
        const loaded = await loadCase(app, { reference, ...options });
        const next = nextActions(loaded, app.get(RailSchedule));
        return { found: loaded, next, now: app.get<Clock>(Clock).now() };
      });
      const decisions = decisionsFor(found);
      const open = found.proposals.find(({ endedAt }) => endedAt === null);
      const confirm = open ? confirmCommand(found, open.id) : null;
      if (options.json) {
        printJson({
          ...caseJson(found, next),
          decisions: decisions.map((each) => decisionJson(found, each)),
          confirm,
        });
        return;
      }
      printLines([
        ...summary(found),
        ...triedSections(found),
        ...proposalSection(found),
        ...decisionSection(found, decisions, confirm),
        ...(decisions.length === 0 ? nextSection(next, now) : []),
      ]);
    },
  );

function decisionSection(
  found: Case,
  decisions: readonly PossibleDecision[],
  confirm: string | null,
): readonly string[] {
  if (decisions.length === 0)
    return [
      '',
      found.state.underReview ? 'nothing can be decided' : 'not under review: nothing to decide',
    ];
  return [
    ...(confirm === null ? [] : section('to confirm the proposal, as another operator', [confirm])),
    ...decisions.flatMap((possible) => {
      const { decision, meaning, twoOperators } = possible;
      const title = `${decision}${twoOperators ? ' (two operators)' : ''}: ${meanings[meaning]}`;
      return section(title, [resolveCommand(found, possible)]);
    }),
  ];
}

function decisionJson(found: Case, possible: PossibleDecision): object {
  const { decision, meaning, twoOperators } = possible;
  const command = resolveCommand(found, possible);
  return { decision, means: meanings[meaning], two_operators: twoOperators, command };
}
