import { Database } from '#infra/postgres';
import { ViewProgress } from '#views/view-set';
import { RetireV3 } from '#domain/v3-retirement';
import { CommandBus } from '@nestjs/cqrs';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { missingWords } from '../../v3/missing-words.js';
import { standingOf } from '../../v3/standing.js';

/** Time that the projector needs. If it is not running, every replica learns of the change when it runs again. */
const viewsWithinMs = 5000;

export const retire = change(
  'retire',
  'ends V3 for good, if nothing is missing: every call then answers 410',
  'v3 retire --reason "decision 2027-31; notice was given, no merchant calls"',
).action(async (options: ChangeOptions) => {
  const { result, standing, seen } = await withApp(async (app) => {
    const before = await standingOf(app);
    const { noticedAt: _noticedAt, ...facts } = before.facts;
    const command = new RetireV3(facts, operatorMetadata(options));
    const done = await app.get(CommandBus).execute(command);
    const position = done.ok ? done.value.position : undefined;
    return {
      result: done,
      standing: before,
      seen:
        position === undefined ||
        (await new ViewProgress(app.get(Database)).reach(position, viewsWithinMs)),
    };
  });
  if (!result.ok)
    throw new Refused(['V3 cannot be retired:', ...missingWords(result.refusal, standing)]);
  const isNew = result.value.position !== undefined;
  if (options.json) printJson({ retired: true, already: !isNew, seen_by_views: seen });
  else
    printLines([
      isNew ? 'V3 is retired: every call answers 410, for good' : 'V3 was retired already',
      ...(seen
        ? []
        : ['the views have not seen it yet: the API answers 410 once the projector is back']),
    ]);
});
