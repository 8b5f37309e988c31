import { Clock } from '#domain/kernel';
import { type ItemType, type Named, nextActions, RailSchedule } from '#desk/operators';
import { withApp } from '../app.js';
import { caseJson } from '../case/case-json.js';
import {
  eventSection,
  nextSection,
  proposalSection,
  summary,
  triedSections,
} from '../case/case-text.js';
import { loadCase, typeOption } from '../case/named.js';
import { printJson, printLines } from '../print.js';
import { plainCommand, type MerchantAndModeOptions, withMerchantAndMode } from './plain-command.js';

export const show = withMerchantAndMode(
  plainCommand(
    'show',
    'shows the events of a collection or payout, all attempts, and the next step',
    'show INV-1001 --merchant M --mode demo',
  ),
)
  .argument('<word>', 'a reference, or whatever else npx pesapost find takes')
  .addOption(typeOption)
  .action((reference: string, options: MerchantAndModeOptions & { readonly type?: ItemType }) =>
    showCase({ reference, ...options }, options),
  );

/**
 * Shows everything about one collection or payout.
 * @throws Refused if there is none, or more than one
 */
export async function showCase(named: Named, { json }: { readonly json?: true }): Promise<void> {
  const { found, next, now } = await withApp(async (app) => {
    const loaded = await loadCase(app, named);
    const next = nextActions(loaded, app.get(RailSchedule));
    return { found: loaded, next, now: app.get<Clock>(Clock).now() };
  });
  if (json) {
    printJson(caseJson(found, next));
    return;
  }
  printLines([
    ...summary(found),
    ...eventSection(found.events),
    ...triedSections(found),
    ...proposalSection(found),
    ...nextSection(next, now),
  ]);
}
