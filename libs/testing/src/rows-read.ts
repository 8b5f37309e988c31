import { type Queryable } from '#infra/postgres';

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The number of rows that the statement's plan reads in all steps: independent of the machine's load. */
export async function rowsRead(
  database: Queryable,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<number> {
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const count = (node: PlanNode): number =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
    (node.Plans ?? []).reduce((sum, inner) => sum + count(inner), 0);
  const plan = row?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('there is no plan');
  return count(plan);
}
