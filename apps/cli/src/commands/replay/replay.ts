import { Database } from '#infra/postgres';
import {
  drop,
  listReplays,
  listViewSets,
  type RecordedReplay,
  replay as replayViews,
  type ReplayReport,
  rollback,
  type RowDifference,
  type ViewSet,
} from '#views/replay';
import { viewSchema } from '#views/view-set';
import { withApp } from '../../app.js';
import { whoOption } from '../../operator.js';
import { parseCount } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';
import { replaying } from './options.js';

interface ReplayCommandOptions {
  readonly as: string;
  readonly max: number;
  readonly acceptDifferences?: true;
  readonly json?: true;
}

type ChangeOptions = Pick<ReplayCommandOptions, 'as' | 'json'>;

interface RollbackOptions extends ChangeOptions {
  readonly acceptStandstill?: true;
}

const list = plainCommand(
  'list',
  'lists the sets of views: the serving one, those being built, and those that are kept',
  'replay list',
).action(async ({ json }: { readonly json?: true }) => {
  const { sets, replays } = await withApp(async (app) => ({
    sets: await listViewSets(app.get(Database), viewSchema()),
    replays: await listReplays(app.get(Database), viewSchema(), 20),
  }));
  if (json) printJson({ sets: sets.map(setJson), replays: replays.map(replayJson) });
  else printLines([...setLines(sets), ...replayLines(replays)]);
});

const back = plainCommand(
  'rollback',
  'serves the previous set again, once it has reached the same position of the log',
  'replay rollback',
)
  .argument('[set]', 'a kept set, as replay list names it; the newest unless given')
  .addOption(whoOption())
  .option('--accept-standstill', 'even if merchants are quarantined in it that are not now')
  .action(async (set: string | undefined, { as, acceptStandstill, json }: RollbackOptions) => {
    const how = { schema: set, acceptsStandstill: acceptStandstill === true };
    const done = await replaying(as, (options) => rollback(options, how));
    if (json)
      printJson({ from: done.schema, position: done.position.toString(), kept_as: done.keptAs });
    else
      printLines([
        `${done.schema} serves again, since position ${done.position}; what served is kept as ${done.keptAs}`,
      ]);
  });

const away = plainCommand(
  'drop',
  'deletes a set that is kept, being built, or left by an older release',
  'replay drop views_8_kept_3',
)
  .argument('<set>', 'as replay list names it')
  .addOption(whoOption())
  .action(async (set: string, { as, json }: ChangeOptions) => {
    await replaying(as, (options) => drop(options, set));
    if (json) printJson({ dropped: set });
    else printLines([`dropped ${set}`]);
  });

export const replay = plainCommand(
  'replay',
  'builds the views again beside the serving ones, compares both, and swaps them while the service runs',
  'replay',
)
  .addOption(whoOption())
  .option('--max <n>', 'differences named at most; all are counted', parseCount, 100)
  .option('--accept-differences', 'swaps although rows differ: the new ones are what the log says')
  .action(async ({ as, max, acceptDifferences, json }: ReplayCommandOptions) => {
    const how = { maxNamed: max, acceptsDifferences: acceptDifferences === true };
    const report = await replaying(as, (options) => replayViews(options, how));
    if (json) printJson(reportJson(report));
    else printLines(reportLines(report));
    if (!report.isSwapped)
      throw new Refused([
        `the views differ from the log, and serve on. Swap them all the same with replay --accept-differences, or give up with replay drop ${viewSchema()}_building`,
      ]);
  })
  .addCommand(list)
  .addCommand(back)
  .addCommand(away);

function reportLines({ comparison, position, isSwapped, keptAs }: ReplayReport): readonly string[] {
  const { tables, differences, areMore, named } = comparison;
  return [
    ...named.map(differenceLine),
    `compared ${tables.length} tables at position ${position}: ` +
      (differences === 0
        ? 'no differences'
        : `${areMore ? 'at least ' : ''}${differences.toLocaleString('en')} rows differ`),
    ...(isSwapped ? [`the new set serves; what served is kept as ${keptAs ?? ''}`] : []),
  ];
}

function differenceLine({ table: of, key, field, serving, other }: RowDifference): string {
  const where = Object.entries(key)
    .map(([name, value]) => `${name} ${value ?? 'null'}`)
    .join(', ');
  return `${of}.${field}: built ${other ?? 'nothing'}, serving ${serving ?? 'nothing'} (${where})`;
}

function reportJson({ id, comparison, position, isSwapped, keptAs }: ReplayReport): object {
  const { tables, differences, areMore, named } = comparison;
  return {
    id,
    position: position.toString(),
    differences,
    more: areMore,
    named: named.map(({ other, ...difference }) => ({ ...difference, built: other })),
    tables: tables.map(({ table: name, rows, checksums }) => ({
      table: name,
      rows: { serving: rows[0], built: rows[1] },
      checksums: { serving: checksums[0], built: checksums[1] },
    })),
    swapped: isSwapped,
    ...(keptAs === undefined ? {} : { kept_as: keptAs }),
  };
}

function setLines(sets: readonly ViewSet[]): readonly string[] {
  return table(
    ['set', 'state', 'position', 'age', 'MB', 'quarantined'],
    sets.map(({ schema, state, position, ageSeconds, bytes, quarantined }) => [
      schema,
      state,
      position.toString(),
      ageSeconds === null ? 'never built' : `${ageSeconds.toFixed(0)} s`,
      (bytes / 1_000_000n).toString(),
      String(quarantined),
    ]),
  );
}

function replayLines(replays: readonly RecordedReplay[]): readonly string[] {
  if (replays.length === 0) return [];
  return [
    '',
    ...table(
      ['replay', 'kind', 'by', 'begun', 'swapped', 'at', 'differences', 'kept as'],
      replays.map((one) => [
        one.id.toString(),
        one.kind,
        one.begunBy,
        one.begunAt.toISOString(),
        one.swappedAt?.toISOString() ?? (one.droppedAt ? 'dropped' : 'under way'),
        one.swappedPosition?.toString() ?? '',
        one.differences?.toString() ?? '',
        one.keptAs ?? '',
      ]),
    ),
  ];
}

function setJson({ schema, state, position, ageSeconds, bytes, quarantined, isLed }: ViewSet) {
  const standing = { position: position.toString(), age_seconds: ageSeconds, bytes, quarantined };
  return { set: schema, state, ...standing, led: isLed };
}

function replayJson(one: RecordedReplay): object {
  return {
    id: one.id,
    kind: one.kind,
    by: one.begunBy,
    begun_at: one.begunAt.toISOString(),
    caught_up_at: one.caughtUpAt?.toISOString() ?? null,
    compared_position: one.comparedPosition?.toString() ?? null,
    differences: one.differences,
    swapped_at: one.swappedAt?.toISOString() ?? null,
    swapped_position: one.swappedPosition?.toString() ?? null,
    kept_as: one.keptAs,
    dropped_at: one.droppedAt?.toISOString() ?? null,
  };
}
