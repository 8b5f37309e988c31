import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from '@jest/globals';
import { Watch } from './watch.js';

/** A server for HTTP that SIGSTOP freezes like one of our processes. */
const program = `
  const server = require('node:http').createServer((_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

async function serve() {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, pid: child.pid ?? 0, url: `http://127.0.0.1:${line}/` };
}

it('a frozen child is ended after several failed checks; one line reports that, another its recovery', async () => {
  const lines: string[] = [];
  let running: Awaited<ReturnType<typeof serve>> | undefined = await serve();
  let seconds = 0;
  /** Only a child that is frozen needs all of it. */
  let patienceMs = 60_000;
  const watch = new Watch({
    name: 'pesapost-worker',
    pid: () => running?.pid,
    look: async () => {
      const response = await fetch(running?.url ?? '', { signal: AbortSignal.timeout(patienceMs) });
      await response.text();
    },
    kill: (pid) => process.kill(pid, 'SIGKILL'),
    say: (line) => lines.push(line),
    now: () => new Date(2026, 10, 21, 12, 0, (seconds += 1)),
  });
  await watch.lookOnce();
  expect([watch.isUp, lines]).toEqual([true, []]);

  const frozen = running.child;
  const ended = once(frozen, 'exit');
  frozen.kill('SIGSTOP');
  patienceMs = 1000;
  for (let look = 1; look <= 3; look += 1) {
    await watch.lookOnce();
    expect([watch.isUp, lines]).toEqual([false, []]);
  }
  await watch.lookOnce();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(lines).toEqual([
    `pesapost-worker (pid ${frozen.pid ?? 0}) has not answered since 12:00:01; it is ended and started again`,
  ]);

  running = undefined;
  await watch.lookOnce();
  expect(watch.isUp).toBe(false);
  running = await serve();
  patienceMs = 60_000;
  await watch.lookOnce();
  expect(watch.isUp).toBe(true);
  expect(lines[1]).toMatch(/^pesapost-worker answers again since 12:00:0\d, after \d+ s$/);
  await watch.lookOnce();
  expect(lines).toHaveLength(2);
});

it('checks that fail now and then do not end a child', async () => {
  const killed: number[] = [];
  let looks = 0;
  const watch = new Watch({
    name: 'pesapost-api',
    pid: () => 1,
    look: () => ((looks += 1) % 4 === 0 ? Promise.resolve() : Promise.reject(new Error('slow'))),
    kill: (pid) => killed.push(pid),
    say: () => undefined,
    now: () => new Date(0),
  });
  for (let n = 0; n < 40; n += 1) await watch.lookOnce();
  expect(killed).toEqual([]);
});
