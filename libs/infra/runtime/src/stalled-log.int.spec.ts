import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';

/** The built module, since the test needs a process of its own. */
const runtime = new URL('../../../../dist/libs/infra/runtime/src/index.js', import.meta.url).href;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Lines of 1 kB: five times the limit of waiting lines. */
const lines = 20_000;

interface Answer {
  readonly dropped: number;
  readonly waitingBytes: number;
}

/**
 * A process that logs as many lines as the test asks for, and answers with the number dropped so far. Its stdout is not
 * read yet.
 */
function start(): ChildProcess {
  const program = `
    import { onTermination, processContext } from '${runtime}';
    const { logger, metrics } = processContext('spec', process.env);
    onTermination(logger, [], 60_000);
    let n = 0;
    process.on('message', async (more) => {
      for (const end = n + more; n < end; n += 1) {
        logger.info({ n, filling: 'x'.repeat(1000) }, 'line');
        if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      const text = await metrics.registry.getSingleMetricAsString('pesapost_log_lines_dropped_total');
      const dropped = Number(text.split(' ').at(-1));
      process.send({ dropped, waitingBytes: process.stdout.writableLength });
    });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      MASTER_KEY: process.env['MASTER_KEY'],
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

async function log(child: ChildProcess, count: number): Promise<Answer> {
  const answered = once(child, 'message');
  child.send(count);
  const [answer] = (await answered) as [Answer];
  return answer;
}

/** Reads from now on. @returns everything, at the end */
async function readAll(child: ChildProcess): Promise<Record<string, unknown>[]> {
  let text = '';
  child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await once(child.stdout ?? child, 'end');
  const written = text.split('\n').filter((line) => line !== '');
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const children: ChildProcess[] = [];
const started = (): ChildProcess => {
  const child = start();
  children.push(child);
  return child;
};
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('a process whose log no one reads', () => {
  it('continues, keeps a bounded part, counts what it drops, and reports that once it is read again', async () => {
    const child = started();
    let answer = await log(child, lines);
    const firstDropped = answer.dropped;
    expect(firstDropped).toBeGreaterThan(0);
    expect(answer.waitingBytes).toBeLessThanOrEqual(4 * 1024 * 1024);
    const reading = readAll(child);
    let logged = lines;
    do {
      answer = await log(child, 1);
      logged += 1;
    } while (answer.waitingBytes > 0);
    child.kill('SIGTERM');
    const read = await reading;
    const told = read.filter(({ msg }) => msg === 'log lines were dropped');
    const counts = told.map(({ dropped }) => Number(dropped));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(answer.dropped);
    const numbers = read.flatMap(({ n }) => (typeof n === 'number' ? [n] : []));
    expect(numbers).toHaveLength(logged - answer.dropped);
    const kept = lines - firstDropped;
    expect(numbers.slice(0, kept)).toEqual([...Array(kept).keys()]);
    expect(read.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('still ends, within the time that it waits for a reader', async () => {
    const child = started();
    await log(child, lines);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('continues if its reader is gone forever', async () => {
    const child = started();
    child.stdout?.destroy();
    await log(child, 1000);
    // The first line may still have found the pipe open, and the last may not have failed yet.
    expect((await log(child, 1)).dropped).toBeGreaterThan(990);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
