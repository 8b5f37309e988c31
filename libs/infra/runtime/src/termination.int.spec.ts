import { describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built module, since the test needs a process of its own. */
const runtime = new URL('../../../../dist/libs/infra/runtime/src/', import.meta.url).href;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * A process with an interval that keeps it alive and the given shutdown steps.
 * @param deadlineMs of the steps; longer than any pause of a busy machine if omitted
 */
async function start(
  steps: string,
  then = '',
  deadlineMs = 60_000,
): Promise<{ child: ChildProcess; said: () => string }> {
  const program = `
    import { createLogger } from '${runtime}logger.js';
    import { endWhileStarting, onTermination } from '${runtime}termination.js';
    const logger = createLogger({ app: 'spec' });
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    setInterval(() => undefined, 1000);
    onTermination(logger, ${steps}, ${deadlineMs});
    logger.info('up');
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let text = '';
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('"up"')) resolve();
    });
  });
  return { child, said: () => text };
}

/** Resolves when it has ended and all its output was read: `close` never comes after a disconnection. */
async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await Promise.all([code, new Promise((resolve) => child.stdout?.once('end', resolve))]);
  return code;
}

const twoSteps = `[
  { name: 'first', run: async () => { await sleep(50); logger.info('first done'); } },
  { name: 'broken', run: async () => { throw new Error('cannot close'); } },
  { name: 'last', run: async () => { logger.info('last done'); } },
]`;

describe('a process asked to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s runs its steps once and in order, continues past a failed one, and exits 0',
    async (signal) => {
      const { child, said } = await start(twoSteps);
      const exit = exitCodeOf(child);
      child.kill(signal);
      child.kill(signal);
      child.kill(signal === 'SIGINT' ? 'SIGTERM' : 'SIGINT');
      expect(await exit).toBe(0);
      expect(said()).toMatch(/first done[^]*a shutdown step failed[^]*last done/);
      expect(said().match(/last done/g)).toHaveLength(1);
    },
  );

  it('does the same when its parent’s channel closes', async () => {
    const { child, said } = await start(twoSteps);
    const exit = exitCodeOf(child);
    child.disconnect();
    expect(await exit).toBe(0);
    expect(said()).toContain('last done');
  });

  it('exits 1 if a step hangs beyond the deadline', async () => {
    const hangs = `[{ name: 'hangs', run: () => new Promise(() => undefined) }]`;
    const { child } = await start(hangs, '', 500);
    const exit = exitCodeOf(child);
    const started = performance.now();
    child.kill('SIGTERM');
    expect(await exit).toBe(1);
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});

describe('a process asked to stop during startup', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits 0 at once on %s', async (signal) => {
    const { child, said } = await start(
      `(endWhileStarting(logger), logger.info('up'), await new Promise(() => undefined), [])`,
    );
    const exit = exitCodeOf(child);
    child.kill(signal);
    expect(await exit).toBe(0);
    expect(said()).toContain('told to stop while starting');
  });

  it('runs its steps once it has started its work', async () => {
    const { child, said } = await start(`(endWhileStarting(logger), ${twoSteps})`);
    const exit = exitCodeOf(child);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(said()).toContain('last done');
    expect(said()).not.toContain('told to stop while starting');
  });
});

describe('a process whose parent exits during startup', () => {
  it('stops as soon as it can', async () => {
    const { child } = await start(
      `(logger.info('up'), await new Promise((resolve) => process.once('disconnect', resolve)), [])`,
    );
    const exit = exitCodeOf(child);
    child.disconnect();
    expect(await exit).toBe(0);
  });
});

describe('an uncaught error', () => {
  it.each([
    ['thrown', `setTimeout(() => { throw new Error('a defect'); }, 20);`],
    ['rejected', `setTimeout(() => { void Promise.reject(new Error('a defect')); }, 20);`],
  ])('%s is logged and ends the process with 1', async (_how, defect) => {
    const { child, said } = await start('[]', defect);
    expect(await exitCodeOf(child)).toBe(1);
    expect(said()).toMatch(/"level":"fatal".*a defect/);
  });
});

it('Node warnings go to the log, and stderr stays empty', async () => {
  const program = `
    import { runProcess } from '${runtime}process-context.js';
    runProcess('spec', async ({ logger }) => {
      process.emitWarning('Setting the TLS ServerName', 'DeprecationWarning', 'DEP0123');
      setTimeout(() => { throw new TypeError('before it was up'); }, 20);
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await exited).toEqual([1, null]);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', code: 'DEP0123', msg: 'Setting the TLS ServerName' },
    { level: 'fatal', err: { message: 'before it was up' } },
  ]);
});
