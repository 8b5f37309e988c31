import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Metrics } from '#infra/runtime';

/** Names of metrics, each with its labels, as Prometheus gets them. */
export type KnownMetrics = ReadonlyMap<string, readonly string[]>;

/** The metrics that the sources register, and Node's own. */
export async function registeredMetrics(): Promise<KnownMetrics> {
  const metrics = new Map<string, readonly string[]>();
  for (const { name } of new Metrics().registry.getMetricsAsArray()) metrics.set(name, []);
  for (const file of globSync('{apps,libs}/**/src/**/*.ts')) {
    if (file.endsWith('.spec.ts')) continue;
    const source = await readFile(file, 'utf8');
    const [, shared = ''] = /\bconst labels = \[(.*?)\]/s.exec(source) ?? [];
    const calls = source.matchAll(/\.(counter|gauge|histogram)(?:<[^>]*>)?\(\{(.*?)\}\)/gs);
    for (const [, kind, options = ''] of calls) {
      const [, name] = /\bname: '(\w+)'/.exec(options) ?? [];
      const [, own = ''] = /\blabels: \[(.*?)\]/s.exec(options) ?? [];
      const labels = /\blabels,/.test(options) ? shared : own;
      const names = [...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label);
      if (name === undefined) continue;
      metrics.set(`pesapost_${name}`, names);
      if (kind !== 'histogram') continue;
      for (const part of ['count', 'sum']) metrics.set(`pesapost_${name}_${part}`, names);
      metrics.set(`pesapost_${name}_bucket`, [...names, 'le']);
    }
  }
  return metrics;
}

/** The metrics of an expression, as `/metrics` names them in its comments: a histogram without its parts. */
export function metricsIn(expr: string): readonly string[] {
  return [...expr.matchAll(/\b(?:pesapost|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_seconds_(?:bucket|count|sum)$/, '_seconds'),
  );
}

/** Labels that Prometheus and the launcher add to every series. */
const addedLabels = ['instance', 'process', 'job'];

/**
 * The metrics and labels of an expression that no process has.
 * @param recorded the names that recording rules make; all of them have the label `slo`
 */
export function unknownIn(
  expr: string,
  registered: KnownMetrics,
  recorded: ReadonlySet<string>,
): readonly string[] {
  const unknown: string[] = [];
  const labels = new Set<string>(addedLabels);
  for (const [, name = '', selected = ''] of expr.matchAll(
    /\b((?:pesapost|process|nodejs)[_:][\w:]+)(?:\{(.*?)\})?/g,
  )) {
    const own = recorded.has(name) ? ['slo'] : registered.get(name);
    if (own) for (const label of own) labels.add(label);
    else unknown.push(name);
    for (const [, label = ''] of selected.matchAll(/(\w+)(?:=|!=|=~|!~)"/g))
      if (own && ![...own, ...addedLabels].includes(label)) unknown.push(`${name}{${label}}`);
  }
  if (/\bALERTS\b/.test(expr)) for (const label of ['alertname', 'severity']) labels.add(label);
  for (const [, by = ''] of expr.matchAll(/\b(?:by|on) \(([\w, ]*)\)/g))
    for (const label of by.split(', ')) if (!labels.has(label)) unknown.push(`by (${label})`);
  return unknown;
}
