import { packageDirectory } from '#infra/runtime';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';

/**
 * Two cases that need most of what the others need: servers, a service with load and the simulator, a case's floor, and
 * a list that is filled. Every case is rehearsed by hand: that takes as long as a tenth of all specs.
 */
it.each([
  ['lifecycle', 'lifecycle'],
  ['list', 'list_10k_p50'],
])(
  'the benchmark %s runs, and its figures are written',
  async (name, figure) => {
    const file = join(await mkdtemp(join(tmpdir(), 'pesapost-rehearsal-')), 'figures.json');
    const main = join(packageDirectory(), 'dist/bench/main.js');
    // A benchmark has its own servers.
    const { EVENTSTORE_URL: _e, DATABASE_URL: _d, REDIS_URL: _r, ...env } = process.env;
    const bench = spawn(process.execPath, [main, '--rehearse', '--only', name, '--json', file], {
      env: { ...env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said] = await Promise.all([text(bench.stderr), once(bench, 'exit')]);
    expect({ code: bench.exitCode, said }).toMatchObject({ code: 0 });
    const measured = JSON.parse(await readFile(file, 'utf8')) as { name: string; value: number }[];
    const found = measured.find((one) => one.name === figure);
    expect({ figure, isMeasured: Number.isFinite(found?.value) }).toEqual({
      figure,
      isMeasured: true,
    });
  },
  600_000,
);
