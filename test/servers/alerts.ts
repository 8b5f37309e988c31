import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promtool, requirePrometheus } from './promtool.js';

/** The published alert rules. */
export const rules = resolve('deploy/observability/alerts.yml');
/** The published objectives: recording rules, and alerts on error budgets. */
export const objectives = resolve('deploy/observability/slo.yml');

/** Series of the API. If they are absent, that is an alert of its own. */
const present = `pesapost_server_up{server="redis"} 1\npesapost_audit_seal_overdue_seconds 0\n`;

/** Larger values are moments in Unix seconds. */
const firstMoment = 1e9;

/**
 * Runs the published rules over the metrics of real code, as Prometheus evaluates them.
 * @param after the metrics of a process in the state that should alert, as it exports them; they stay so for hours
 * @param before its metrics in the quarter of an hour before, if a rule asks for a change
 * @returns the alerts that fire within seven hours, in the order of the rules
 */
export async function alertsFiredBy(after: string, before = ''): Promise<readonly string[]> {
  await requirePrometheus();
  const text = await readFile(rules, 'utf8');
  const asked = new Set([...text.matchAll(/pesapost_\w+/g)].map(([name]) => name));
  const [earlier, later] = [samplesIn(present + before, asked), samplesIn(present + after, asked)];
  const series = [...new Set([...earlier.keys(), ...later.keys()])].map((name) => ({
    series: name,
    // Each value on its own, since promtool repeats no NaN.
    values: [
      ...Array<string>(3).fill(earlier.get(name) ?? '_'),
      ...Array<string>(85).fill(later.get(name) ?? '_'),
    ].join(' '),
  }));
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);
  const refuted = await testRules([
    {
      interval: '5m',
      input_series: series,
      promql_expr_test: alerts.map((alert) => ({
        expr: `count(count_over_time(ALERTS{alertname="${alert}", alertstate="firing"}[7h]))`,
        eval_time: '7h',
        exp_samples: [],
      })),
    },
  ]);
  const fired = [...refuted.matchAll(/alertname=\\?"(\w+)\\?"/g)].map(([, alert = '']) => alert);
  return alerts.filter((alert) => fired.includes(alert));
}

/** @returns the last value of each series that a rule asks for; moments count from the start of the test */
function samplesIn(text: string, asked: ReadonlySet<string>): ReadonlyMap<string, string> {
  const samples = new Map<string, string>();
  for (const [, name = '', labels = '', value = ''] of text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm))
    if (asked.has(name)) samples.set(`${name}${labels}`, valueFrom(value));
  return samples;
}

function valueFrom(text: string): string {
  const value = Number(text === 'Nan' ? 'NaN' : text.replace('Inf', 'Infinity'));
  const isMoment = Number.isFinite(value) && value > firstMoment;
  const shown = isMoment ? value - Date.now() / 1000 : value;
  return String(shown).replace('Infinity', 'Inf');
}

/**
 * Runs promtool's tests of published rules.
 * @param file the rules to evaluate
 * @param every the time between two evaluations
 * @returns what it says of expectations that are not met; empty if all are
 */
export async function testRules(
  tests: readonly object[],
  file: string = rules,
  every = '5m',
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-alerts-'));
  try {
    const path = join(directory, 'tests.yml');
    const content = { rule_files: [file], evaluation_interval: every, tests };
    // JSON is YAML.
    await writeFile(path, JSON.stringify(content));
    const { code, text } = await promtool('test', 'rules', path);
    if (code !== 0 && !text.includes('exp:')) throw new Error(text);
    return code === 0 ? '' : text;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
