import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { objectives, rules } from '../servers/alerts.js';
import { registeredMetrics, unknownIn } from '../servers/observed-metrics.js';
import { promtool, requirePrometheus } from '../servers/promtool.js';
import { typeErrorsOf } from '../servers/grafana-types.js';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const runbook = 'docs/how-to/act-on-an-alert.md';
let published: readonly Rule[];
let dashboards: ReadonlyMap<string, string>;

beforeAll(async () => {
  await requirePrometheus();
  const texts = await Promise.all([rules, objectives].map((file) => readFile(file, 'utf8')));
  published = texts.flatMap((text) =>
    (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
  );
  const files = await Array.fromAsync(glob('deploy/observability/dashboards/*.json'));
  dashboards = new Map(
    await Promise.all(
      files.sort().map(async (file) => [basename(file), await readFile(file, 'utf8')] as const),
    ),
  );
}, 660_000);

const recorded = () => new Set(published.flatMap(({ record }) => record ?? []));
const alerts = () => published.filter(({ alert }) => alert !== undefined);
const boards = () =>
  [...dashboards].map(([file, text]) => ({ file, board: JSON.parse(text) as Dashboard }));
const targets = () =>
  boards().flatMap(({ file, board }) =>
    board.panels.flatMap(({ title, targets: asked }) =>
      asked.map(({ expr }) => ({ where: `${file}: ${title}`, expr })),
    ),
  );

describe('the published rules', () => {
  it('ask only for metrics and labels that a process has', async () => {
    const registered = await registeredMetrics();
    expect(published.length).toBeGreaterThan(50);
    const unknown = published.flatMap(({ alert, record, expr }) =>
      unknownIn(expr, registered, recorded()).map((name) => `${alert ?? record}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ['pesapost_nothing_total', ['pesapost_nothing_total']],
    [
      'rate(pesapost_append_seconds_bucket{le="5",mode="live"}[5m])',
      ['pesapost_append_seconds_bucket{mode}'],
    ],
    ['sum by (mode) (pesapost_views_age_seconds)', ['by (mode)']],
    ['pesapost:slo_nothing:ratio', ['pesapost:slo_nothing:ratio']],
    ['sum by (slo) (pesapost:slo_budget:ratio)', []],
  ])('could not ask for more: %s', async (expr, expected) => {
    expect(unknownIn(expr, await registeredMetrics(), recorded())).toEqual(expected);
  });

  it('have a runbook section, a page of the portal, a severity and a summary for each alert', async () => {
    const page = await readFile(runbook, 'utf8');
    const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
    expect(sections.sort()).toEqual(
      alerts()
        .map(({ alert = '' }) => alert)
        .sort(),
    );
    for (const { alert = '', labels = {}, annotations = {} } of alerts()) {
      expect(annotations['runbook_url']).toBe(`${runbook}#${alert.toLowerCase()}`);
      expect(annotations['portal']).toMatch(/^\/portal\//);
      expect(annotations['summary']).not.toBe('');
      expect(['critical', 'warning']).toContain(labels['severity']);
    }
  });

  it('have a runbook whose every section says what it means, what to look at and what to do', async () => {
    const page = await readFile(runbook, 'utf8');
    for (const section of page.split(/^### /m).slice(1))
      for (const part of ['- **Meaning.** ', '- **Look at.** ', '- **Do.** '])
        expect([section.split('\n')[0], section.includes(part)]).toEqual([
          section.split('\n')[0],
          true,
        ]);
  });
});

describe('the dashboards', () => {
  it('are the six that the guide names', () => {
    expect([...dashboards.keys()]).toEqual(
      ['error-budgets', 'rails', 'service', 'stores', 'views', 'webhooks'].map((n) => `${n}.json`),
    );
    const uids = boards().map(({ board }) => board.uid);
    expect(uids).toEqual(
      [...dashboards.keys()].map((file) => `pesapost-${basename(file, '.json')}`),
    );
  });

  it('have the types of Grafana’s own schema', () => {
    expect(typeErrorsOf(dashboards)).toEqual([]);
  });

  it('would not have them with a misspelt member or another type', () => {
    const [name = '', text = ''] = [...dashboards][0] ?? [];
    const wrong = text
      .replace('"legendFormat"', '"legendFormt"')
      .replace('"graphTooltip": 1', '"graphToltip": 1')
      .replace('"mode": "multi"', '"mode": "many"');
    expect(typeErrorsOf(new Map([[name, wrong]])).length).toBeGreaterThan(0);
  });

  it('ask only for metrics and labels that a process has, or a rule records', async () => {
    const registered = await registeredMetrics();
    expect(targets().length).toBeGreaterThan(70);
    const unknown = targets().flatMap(({ where, expr }) =>
      unknownIn(expr, registered, recorded()).map((name) => `${where}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('ask in expressions that Prometheus reads', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-dashboards-'));
    try {
      const file = join(directory, 'panels.yml');
      const asRules = targets().map(({ where, expr }, index) => ({
        record: `panel:${index}`,
        labels: { where },
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
      // JSON is YAML.
      await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules: asRules }] }));
      expect(await promtool('check', 'rules', file)).toMatchObject({ code: 0 });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('have panels that each say what they show, and that do not cover one another', () => {
    for (const { file, board } of boards()) {
      const taken = new Set<string>();
      expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
      for (const { title, description = '', gridPos: at } of board.panels) {
        expect([file, title, description.endsWith('.')]).toEqual([file, title, true]);
        expect(at.x + at.w).toBeLessThanOrEqual(24);
        for (let x = at.x; x < at.x + at.w; x += 1)
          for (let y = at.y; y < at.y + at.h; y += 1) {
            expect([file, title, taken.has(`${x},${y}`)]).toEqual([file, title, false]);
            taken.add(`${x},${y}`);
          }
      }
    }
  });
});
