import { type Findings, measurement } from '../measurement.js';
import { type Fixture } from './fixture.js';
import { type History, readAndDrop } from './history.js';
import { describe, type Spent, addUp, spentBetween, totalAnonMb, usageOf } from './usage.js';

export interface BesideOptions {
  readonly name: string;
  readonly fixture: Fixture;
  readonly history: History;
  readonly seconds: number;
  /** Goes once over the whole log. @returns events */
  readonly turn: () => Promise<number>;
}

interface Side {
  events: number;
  seconds: number;
  readonly spent: Spent[];
}

/**
 * Runs work on the whole log in turns with the same client that only reads the same log, so that the machine's other
 * load affects both alike.
 */
export async function beside({
  name,
  fixture,
  history,
  seconds,
  turn,
}: BesideOptions): Promise<Findings> {
  const pids = { bench: process.pid, postgres: (await fixture.postgres()).pid };
  const sides: { work: Side; reading: Side } = {
    work: { events: 0, seconds: 0, spent: [] },
    reading: { events: 0, seconds: 0, spent: [] },
  };
  const turns = { work: turn, reading: () => readAndDrop(history.store) };
  await turns.reading();
  await turns.work();
  do
    for (const side of ['reading', 'work'] as const) {
      const [begunAt, before] = [performance.now(), await usageOf(pids)];
      sides[side].events += await turns[side]();
      sides[side].seconds += (performance.now() - begunAt) / 1000;
      sides[side].spent.push(spentBetween(before, await usageOf(pids)));
    }
  while (sides.work.seconds + sides.reading.seconds < seconds);
  const rate = (side: Side): number => side.events / side.seconds;
  const cost = (side: Side): string => describe(addUp(side.spent), side.events / 1000);
  const { work, reading } = sides;
  return {
    measurements: [
      measurement({
        name,
        value: rate(work),
        unit: 'events/s',
        floor: rate(reading),
        anon_mb: totalAnonMb(await usageOf({ bench: process.pid })),
      }),
    ],
    notes: [
      `${name}: ms of processor for a thousand events: ${cost(work)}; reading alone ${cost(reading)}`,
    ],
  };
}
