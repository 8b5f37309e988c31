import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CallGroups } from './call-groups.js';

/** An answer that the test closes. */
class Answer {
  close = (): void => undefined;
  once(event: string, listener: () => void): void {
    expect(event).toBe('close');
    this.close = listener;
  }
}

/** Makes a call, and returns a function that says if it may go on. */
function call(groups: CallGroups) {
  const answer = new Answer();
  const state = { answer, goesOn: false };
  void groups.join(answer as unknown as ServerResponse).then(() => {
    state.goesOn = true;
  });
  return state;
}

const many = <T>(count: number, of: () => T): T[] => Array.from({ length: count }, of);

describe('calls', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('proceed at once if they are few, and in groups if they are many', async () => {
    const groups = new CallGroups();
    const few = many(8, () => call(groups));
    await pass(0);
    expect(few.every(({ goesOn }) => goesOn)).toBe(true);
    const first = call(groups);
    await pass(8);
    const second = call(groups);
    await pass(3);
    expect([first.goesOn, second.goesOn]).toEqual([false, false]);
    await pass(1);
    expect([first.goesOn, second.goesOn]).toEqual([true, true]);
    const next = call(groups);
    await pass(11);
    expect(next.goesOn).toBe(false);
    await pass(1);
    expect(next.goesOn).toBe(true);
  });

  it('continue to be gathered while two groups are in progress', async () => {
    const groups = new CallGroups();
    many(8, () => call(groups));
    const first = many(3, () => call(groups));
    await pass(12);
    const second = call(groups);
    await pass(12);
    expect(second.goesOn).toBe(true);
    const third = many(2, () => call(groups));
    await pass(20);
    expect(third.map(({ goesOn }) => goesOn)).toEqual([false, false]);
    first[0]?.answer.close();
    await pass(0);
    expect(third[0]?.goesOn).toBe(false);
    first[1]?.answer.close();
    await pass(0);
    expect(third.map(({ goesOn }) => goesOn)).toEqual([true, true]);
  });

  it('wait at most 36 ms for slow calls, and not for callers that are gone', async () => {
    const groups = new CallGroups();
    many(8, () => call(groups));
    for (let group = 0; group < 2; group += 1) {
      call(groups);
      await pass(12);
    }
    const held = call(groups);
    await pass(35);
    expect(held.goesOn).toBe(false);
    await pass(1);
    expect(held.goesOn).toBe(true);
    // Three groups are under way. A group with no callers left does not count.
    call(groups).answer.close();
    await pass(36);
    const next = call(groups);
    await pass(35);
    expect(next.goesOn).toBe(false);
    held.answer.close();
    await pass(0);
    expect(next.goesOn).toBe(false);
    await pass(1);
    expect(next.goesOn).toBe(true);
  });

  it('are counted for as long as they are in flight', async () => {
    const groups = new CallGroups();
    const before = many(30, () => call(groups));
    await pass(12);
    for (const { answer } of before.slice(7)) answer.close();
    const alone = call(groups);
    await pass(0);
    expect(alone.goesOn).toBe(true);
    const waits = call(groups);
    await pass(0);
    expect(waits.goesOn).toBe(false);
  });
});

/** True if a call goes on without waiting, as soon as the server has noticed which callers are gone. */
async function goesOnAtOnce(groups: CallGroups): Promise<boolean> {
  for (let tries = 0; tries < 6000; tries += 1) {
    const { answer, goesOn } = await settled(call(groups));
    if (goesOn) return true;
    answer.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

/** Returns the state before anything else happens. */
async function settled<T>(state: T): Promise<T> {
  for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
  return state;
}

describe('the answers of a server', () => {
  it('are closed once they are sent, and also if the caller is gone', async () => {
    const groups = new CallGroups();
    let begun = 0;
    const server = createServer((request, response) => {
      void groups.join(response).then(() => {
        begun += 1;
        if (request.url === '/answered') response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (let round = 0; round < 12; round += 1) {
        const [answer] = (await once(get(`${url}/answered`), 'response')) as [
          NodeJS.ReadableStream,
        ];
        answer.resume();
        await once(answer, 'end');
        const gone = get(`${url}/held`);
        gone.on('error', () => undefined);
        while (begun < 2 * (round + 1)) await new Promise(setImmediate);
        gone.destroy();
      }
      expect(begun).toBe(24);
      expect(await goesOnAtOnce(groups)).toBe(true);
    } finally {
      server.close();
    }
  });
});
