import { packageDirectory } from '#infra/runtime';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { cases } from '../../bench/cases.js';

/** A case names its measurements after itself, in one of these ways. */
const firstOf: Readonly<Record<string, string>> = {
  'open-loop': 'open_loop_25_p50',
  saturation: 'saturation_16',
  'leader-change': 'leader_change_killed',
  payouts: 'payouts_request_p50',
  notices: 'notices_p50',
  peer: 'peer_row',
  list: 'list_10k_p50',
  pages: 'page_list_p50',
  'v3-balance': 'v3_balance_0',
  checkout: 'checkout_p50',
  history: 'history_list_p99',
  replicas: 'replicas_cpu',
  traces: 'traces_cpu',
};

it('every benchmark runs, and its figures are written', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'pesapost-rehearsal-')), 'figures.json');
  const main = join(packageDirectory(), 'dist/bench/main.js');
  // A benchmark has its own servers.
  const { EVENTSTORE_URL: _e, DATABASE_URL: _d, REDIS_URL: _r, ...env } = process.env;
  const bench = spawn(process.execPath, [main, '--rehearse', '--json', file], {
    env: { ...env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await Promise.all([text(bench.stderr), once(bench, 'exit')]);
  const lines = said.split('\n');
  const failures = [...lines.filter((line) => line.includes(' failed: ')), ...lines.slice(-5)];
  expect({ code: bench.exitCode, why: bench.exitCode === 0 ? [] : failures }).toEqual({
    code: 0,
    why: [],
  });
  const measured = JSON.parse(await readFile(file, 'utf8')) as { name: string; value: number }[];
  for (const { name } of cases) {
    const found = measured.find((one) => one.name === (firstOf[name] ?? name));
    expect({ name, isMeasured: Number.isFinite(found?.value) }).toEqual({ name, isMeasured: true });
  }
}, 2_400_000);
