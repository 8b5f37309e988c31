import {
  type V3Counts,
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  addV3Counts,
} from './v3-usage.js';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unattributedV3Caller, unknownV3Caller } from '#views/v3-usage';

let records: ThrowAwayDatabase;
beforeEach(async () => {
  records = await throwAwayDatabase();
});
afterEach(() => records.drop());

const at = (time: string) => new Date(`${time}Z`);
const counted = (day: string, from = '00:00:00', until = '23:59:59.999'): V3Counts['counting'] => [
  { day, firstAt: at(`${day}T${from}`), lastAt: at(`${day}T${until}`) },
];
const add = (counts: Partial<V3Counts>) =>
  addV3Counts(records.database, {
    calls: [],
    links: [],
    phoneReferences: [],
    counting: [],
    ...counts,
  });

describe('V3 calls', () => {
  it('add up by merchant, route and day, across replicas', async () => {
    const call = (day: string, merchantId: string, route: string, calls: number) => ({
      day,
      merchantId,
      route,
      calls,
    });
    await Promise.all([
      add({
        calls: [call('2027-11-02', 'm', 'balance', 3), call('2027-11-01', 'm', 'collect', 1)],
        counting: counted('2027-11-02'),
      }),
      add({
        calls: [call('2027-11-02', 'm', 'balance', 4), call('2027-11-02', 'n', 'balance', 1)],
        counting: counted('2027-11-02'),
      }),
    ]);
    expect(await listV3Calls(records.database, '2027-11-02')).toEqual([
      call('2027-11-02', 'm', 'balance', 7),
      call('2027-11-02', 'n', 'balance', 1),
    ]);
  });

  it('exclude calls of unknown callers, and include calls that could not be attributed to a merchant', async () => {
    const call = (merchantId: string, calls: number, day = '2027-11-30') => ({
      day,
      merchantId,
      route: 'balance',
      calls,
    });
    const tooOld = call('m', 1000, '2027-10-30');
    await add({
      calls: [call('m', 5), call(unattributedV3Caller, 2), call(unknownV3Caller, 100), tooOld],
    });
    const { callsInWindow } = await findV3Usage(records.database, '2027-11-30', 30);
    expect(callsInWindow).toBe(7);
    const withTheOldDay = await findV3Usage(records.database, '2027-11-29', 30);
    expect(withTheOldDay.callsInWindow).toBe(1007);
  });

  it('count links separately, and also those whose digits can move', async () => {
    const day = '2027-11-02';
    await add({ links: [{ day, merchantId: 'm', links: 3, movable: 1 }] });
    await add({ links: [{ day, merchantId: 'm', links: 2, movable: 2 }] });
    expect(await listV3CheckoutLinks(records.database, day)).toEqual([
      { day, merchantId: 'm', links: 5, movable: 3 },
    ]);
  });
});

describe('the coverage of the counters', () => {
  it('is empty if no process ever counted', async () => {
    const usage = await findV3Usage(records.database, '2027-12-01', 30);
    expect(usage).toMatchObject({ callsInWindow: 0, countingSince: undefined });
    expect(usage.uncountedDays).toHaveLength(30);
    expect(usage.uncountedDays[0]).toBe('2027-11-01');
    expect(usage.uncountedDays.at(-1)).toBe('2027-11-30');
  });

  it('includes a day on which a process counted, but not the day on which the counting began', async () => {
    await add({ counting: counted('2027-11-01', '00:00:00.001') });
    await add({ counting: counted('2027-11-02', '17:00:00', '17:00:01') });
    await add({ counting: counted('2027-11-04') });
    const { uncountedDays, countingSince } = await findV3Usage(records.database, '2027-11-05', 4);
    expect(uncountedDays).toEqual(['2027-11-01', '2027-11-03']);
    expect(countingSince).toEqual(at('2027-11-01T00:00:00.001'));
  });

  it('is complete from the first day if the counting began at its start', async () => {
    await add({ counting: counted('2027-11-01') });
    const { uncountedDays } = await findV3Usage(records.database, '2027-11-02', 1);
    expect(uncountedDays).toEqual([]);
  });

  it.each(['America/Los_Angeles', 'Africa/Nairobi', 'UTC'])(
    'is the same days on a server in %s',
    async (zone) => {
      await add({ counting: counted('2027-11-01', '06:00:00') });
      await add({ counting: counted('2027-11-02') });
      const { uncountedDays } = await records.database.transaction(async (transaction) => {
        await transaction.query(`select set_config('timezone', $1, true)`, [zone]);
        return findV3Usage(transaction, '2027-11-03', 2);
      });
      expect(uncountedDays).toEqual(['2027-11-01']);
    },
  );

  it('contains each minute of a day in which a process counted, once', async () => {
    const day = '2027-11-02';
    await add({ counting: counted(day, '00:00:30', '00:09:59') });
    await add({ counting: counted(day, '00:05:00', '00:12:00') });
    await add({ counting: counted(day, '00:12:00', '00:12:01') });
    await add({ counting: counted(day, '20:00:00', '20:00:59') });
    expect(await listV3CountedDays(records.database, day)).toEqual([{ day, minutes: 14 }]);
    await add({ counting: counted('2027-11-03') });
    expect(await listV3CountedDays(records.database, '2027-11-03')).toEqual([
      { day: '2027-11-03', minutes: 1440 },
    ]);
  });
});
