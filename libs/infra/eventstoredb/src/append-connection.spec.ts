import { DeadlineExceeded } from '#infra/runtime';
import { type AppendResult, DeadlineExceededError } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { AppendConnection } from './append-connection.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

const request: ProposedAppend = { stream: 's', expectedRevision: 'no_stream', events: [] };
const success: AppendResult = { success: true, nextExpectedRevision: 0n };
const long = { deadlineMs: 60_000, provesSilence: true };

/** A connection, and the answers that its server owes, oldest first. */
async function opened() {
  const owed: PromiseWithResolvers<AppendResult>[] = [];
  const connection = new AppendConnection(() => ({
    ready: () => Promise.resolve(),
    append: () => {
      const answer = Promise.withResolvers<AppendResult>();
      owed.push(answer);
      return answer.promise;
    },
    endCalls: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }));
  await connection.ready(60_000);
  return { connection, owed };
}

describe('an append whose time ends', () => {
  it('fails alone if it had little time: the others are answered by the same stream', async () => {
    const { connection, owed } = await opened();
    const other = connection.append(request, long);
    const late = connection.append(request, { deadlineMs: 1, provesSilence: false });
    await expect(late).rejects.toThrow(DeadlineExceeded);
    expect(connection.usable).toBe(true);
    owed[0]?.resolve(success);
    expect(await other).toBe(success);
  });

  it('breaks the stream if the server said nothing in all of a full share', async () => {
    const { connection } = await opened();
    const other = connection.append(request, long);
    const late = connection.append(request, { deadlineMs: 1, provesSilence: true });
    await expect(late).rejects.toThrow(DeadlineExceeded);
    expect(connection.usable).toBe(false);
    await expect(other).rejects.toThrow(DeadlineExceeded);
  });

  it.each(['a success', 'an error'])(
    'fails alone if the server gave another one %s meanwhile',
    async (answer) => {
      const { connection, owed } = await opened();
      const other = connection.append(request, long).catch((error: unknown) => error);
      const late = connection.append(request, { deadlineMs: 20, provesSilence: true });
      if (answer === 'a success') owed[0]?.resolve(success);
      else owed[0]?.reject(new DeadlineExceededError());
      await other;
      await expect(late).rejects.toThrow(DeadlineExceeded);
      expect(connection.usable).toBe(true);
    },
  );
});
