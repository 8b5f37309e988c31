import { expect, it } from '@jest/globals';
import { type SealDay } from '#domain/audit';
import { ok } from '#domain/kernel';
import { dayAt } from '#infra/runtime';
import { throwAwayDatabase } from '#testing';
import { type CommandBus } from '@nestjs/cqrs';
import { Copy } from '../test/copy.js';
import { sealerOf } from './wiring.js';

const dayMs = 86_400_000;

/** Returns the days that are sealed in a log of the database's current day. */
async function sealedBy(clockOffsetMs: number): Promise<readonly string[]> {
  const own = await throwAwayDatabase({ clockOffsetMs });
  const { database } = own;
  const { log } = await Copy.of(1, 1);
  for (const record of log.records) record.createdMs = Date.now();
  const days: string[] = [];
  const execute = ({ day }: SealDay) => {
    days.push(day.date);
    return Promise.resolve(ok(undefined));
  };
  const sealer = sealerOf({
    log,
    store: log,
    database,
    bus: { execute } as unknown as CommandBus,
    ids: { next: () => 'c' },
    timezone: 'UTC',
  });
  await sealer.run().finally(() => own.drop());
  return days;
}

it('seals by the database’s clock, CLOCK_OFFSET included, and not by the clock of its own process', async () => {
  expect(await sealedBy(0)).toEqual([]);
  const today = dayAt(Date.now(), 'UTC');
  expect((await sealedBy(3 * dayMs)).slice(0, 2)).toEqual([
    today,
    dayAt(Date.parse(today) + dayMs, 'UTC'),
  ]);
});
