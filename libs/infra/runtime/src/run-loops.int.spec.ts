import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built module, since the test needs a process of its own. */
const runtime = new URL('../../../../dist/libs/infra/runtime/src/index.js', import.meta.url).href;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

it('a process that is asked to stop in the first step of a loop finishes that step', () => {
  const program = `
    import { createLogger, Metrics, runLoops } from '${runtime}';
    const logger = createLogger({ app: 'spec' });
    const step = async () => {
      process.kill(process.pid, 'SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 50));
      logger.info('finished');
      return 'idle';
    };
    const settings = { adminHost: '127.0.0.1', adminPort: 0 };
    const loop = { name: 'first', step, idleMs: 1000, maxBackoffMs: 1000 };
    await runLoops(
      { logger, metrics: new Metrics(), settings },
      { loops: [loop], checks: {}, closing: [] },
    );`;
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: root, env: { PATH: process.env['PATH'] }, encoding: 'utf8', timeout: 60_000 },
  );
  expect([status, stdout]).toEqual([0, expect.stringContaining('"finished"')]);
});
