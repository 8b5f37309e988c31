import { type Queryable } from '#infra/postgres';

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The number of rows that the statement's plan reads in all steps: independent of the machine's load. */
export async function rowsRead(database: Queryable, statement: Statement): Promise<number> {
  return (await rowsOfSteps(database, statement)).reduce((sum, rows) => sum + rows, 0);
}

/** The number of rows that each step of the statement's plan reads. The first is the whole statement's. */
export async function rowsOfSteps(
  database: Queryable,
  { text, values }: Statement,
): Promise<readonly number[]> {
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  const steps = (node: PlanNode): number[] => [
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).flatMap(steps),
  ];
  const plan = row?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('there is no plan');
  return steps(plan);
}
