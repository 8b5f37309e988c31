import { type DrillFault, type DrillFindings, type RecordedDrill } from '#domain/drills';
import { table } from '../../table.js';

/** The findings as text: first the failures, then what a restore would lose. */
export function drillLines(
  { records, opened, seals }: DrillFindings,
  { id, conclusion }: RecordedDrill,
): readonly string[] {
  const { copy, outcome, reachesTo, ageSeconds, faults, newer, views, position } = conclusion;
  const lost = records.filter((each) => each.newer > 0);
  const erased = opened.reduce((total, each) => total + each.erased, 0);
  return [
    ...faults.map((fault) => faultLine(fault, records, seals.fault)),
    ...(lost.length === 0
      ? ['a restore of it loses no row']
      : [
          ...table(
            ['records table', 'rows in the copy', 'newer, lost by a restore'],
            lost.map((each) => [each.table, count(each.rows), count(each.newer)]),
          ),
          `${count(newer)} rows are newer than the copy`,
        ]),
    `${copy === 'made' ? 'the copy was made by this drill: no backup was tried' : 'the copy is a restored backup'}; it reaches to ${reachesTo}, ${duration(ageSeconds)} ago`,
    `${count(conclusion.rows)} rows of ${conclusion.tables} tables, ${count(conclusion.opened)} sealed ones opened` +
      (erased === 0 ? '' : `, ${count(erased)} under data keys that were deleted`),
    `${views} tables of views built from the log are the serving ones at position ${position}; ${count(conclusion.heads)} heads of days`,
    `${outcome === 'held' ? 'the drill passed' : 'the drill FAILED'}, recorded as ${id}`,
  ];
}

function faultLine(
  { check, table: name = '', count: rows }: DrillFault,
  records: DrillFindings['records'],
  seal: string | undefined,
): string {
  switch (check) {
    case 'records': {
      const atLeast = records.some((each) => each.table === name && each.areMore)
        ? 'at least '
        : '';
      return `records.${name}: ${atLeast}${count(rows)} rows are missing that the copy must hold`;
    }
    case 'sealed':
      return `records.${name}: ${count(rows)} sealed rows do not open with MASTER_KEY`;
    case 'views':
      return `${name}: the log gives another table than the one that serves; run npx pesapost verify`;
    case 'seals':
      return `seals: ${seal ?? 'they do not hold'}`;
  }
}

export function drillJson(
  { records, opened, views, seals }: DrillFindings,
  { id, conclusion }: RecordedDrill,
): object {
  return {
    recorded: id,
    copy: conclusion.copy,
    outcome: conclusion.outcome,
    reaches_to: conclusion.reachesTo,
    age_seconds: conclusion.ageSeconds,
    position: conclusion.position,
    faults: conclusion.faults,
    newer: conclusion.newer,
    records: records.map(({ areMore, ...each }) => ({ ...each, are_more: areMore })),
    sealed: opened,
    views: views.map(({ table: name, isSame }) => ({ table: name, same: isSame })),
    seals: { heads: seals.heads, fault: seals.fault ?? null },
  };
}

function duration(seconds: number): string {
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  const hours = Math.round(seconds / 3600);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

function count(of: number): string {
  return of.toLocaleString('en');
}
