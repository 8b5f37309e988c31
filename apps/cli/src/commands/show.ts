import { Clock } from '#domain/kernel';
import { withApp } from '../app.js';
import { caseJson } from '../case/case-json.js';
import {
  eventSection,
  nextSection,
  proposalSection,
  summary,
  triedSections,
} from '../case/case-text.js';
import { loadCase } from '../case/load-case.js';
import { nextActions, RailSchedule } from '../case/next-actions.js';
import { printJson, printLines } from '../print.js';
import { look, type WhoseOptions, withWhose } from './look.js';

export const show = withWhose(
  look(
    'show',
    'a collection’s events, what was tried for it, and what happens next',
    'show INV-1001 --merchant M --mode demo',
  ),
)
  .alias('history')
  .argument('<word>', 'a reference, or whatever else npx pesapost find takes')
  .action(async (reference: string, options: WhoseOptions) => {
    const { found, next, now } = await withApp(async (app) => {
      const loaded = await loadCase(app, { reference, ...options });
      const next = nextActions(loaded, app.get(RailSchedule));
      return { found: loaded, next, now: app.get<Clock>(Clock).now() };
    });
    if (options.json) {
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
  });
