import { expect, it } from '@jest/globals';
import { type ExpectedRevision, WrongExpectedRevision } from '#domain/event-sourcing';
import fc from 'fast-check';
import { decideAppend } from '../../apps/embedded-eventstore/src/index.js';
import { MemoryLog } from '../../simulation/servers/log.js';

const expected = fc.oneof(
  fc.constant('no_stream' as const),
  fc.integer({ min: 0, max: 5 }).map(BigInt),
);
const ids = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
const metadata = { correlationId: 'spec', actor: { kind: 'system', id: 'spec' }, v: 1 } as const;

/** @returns the outcome of the append, as the embedded store would give it */
function append(log: MemoryLog, at: ExpectedRevision, of: readonly string[]): object {
  const before = log.events.length;
  const events = of.map((id) => ({ id, event: { type: 'Noted', data: {} }, metadata }));
  try {
    const { revision } = log.append('stream', at, events);
    return { kind: log.events.length > before ? 'write' : 'repeat', revision: Number(revision) };
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return { kind: 'wrong-expected' };
  }
}

it('the log in memory answers every order of appends and repetitions as the embedded event store does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(expected, ids), { maxLength: 12 }), (appends) => {
      const log = new MemoryLog(
        () => 0,
        () => undefined,
      );
      for (const [at, of] of appends) {
        const stored = log.stream('stream').map(({ id }) => id);
        const head = stored.length - 1;
        const verdict = decideAppend(
          { head, softDeleted: false, tombstoned: false },
          at === 'no_stream' ? at : Number(at),
          of,
          {
            idAt: (revision) => stored[revision],
            recentRevision: () => undefined,
            hasMetadata: () => false,
          },
        );
        const written = verdict.kind === 'write' ? { revision: head + of.length } : {};
        expect(append(log, at, of)).toEqual({ ...verdict, ...written });
      }
    }),
  );
});
