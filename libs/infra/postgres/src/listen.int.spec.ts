import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

async function until(condition: () => boolean): Promise<void> {
  await eventually(() => Promise.resolve(condition()), Boolean, { everyMs: 20 });
}

describe('listening', () => {
  it('delivers payloads once their transaction has committed, and first reports that it may have missed some', async () => {
    const heard: (string | undefined)[] = [];
    const listening = await own.database.listen('spec', (payload) => heard.push(payload));
    expect(heard).toEqual([undefined]);
    await own.database.transaction(async (transaction) => {
      await transaction.query(`select pg_notify('spec', 'one')`);
      await sleep(50);
      expect(heard).toEqual([undefined]);
    });
    await until(() => heard.length === 2);
    expect(heard[1]).toBe('one');
    await listening.close();
  });

  it('comes back after its connection was killed, and reports that it may have missed some', async () => {
    const heard: (string | undefined)[] = [];
    const listening = await own.database.listen('spec2', (payload) => heard.push(payload));
    await own.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
         where query = 'listen "spec2"' and datname = current_database()`,
    );
    await until(() => heard.length === 2);
    expect(heard).toEqual([undefined, undefined]);
    await own.database.query(`select pg_notify('spec2', 'again')`);
    await until(() => heard.includes('again'));
    await listening.close();
  });

  it('uses one connection for all channels, and every listener hears again after it was lost', async () => {
    const heard: string[] = [];
    const channels = ['one', 'two', 'two'];
    const listening = await Promise.all(
      channels.map((channel, index) =>
        own.database.listen(channel, (payload) => heard.push(`${index}:${payload ?? 'missed'}`)),
      ),
    );
    const connections = () =>
      own.database.query<{ pid: number }>(
        `select pid from pg_stat_activity
           where query like 'listen %' and datname = current_database()`,
      );
    const [connection, ...others] = await connections();
    expect(others).toEqual([]);
    await own.database.query(`select pg_notify('one', 'a'), pg_notify('two', 'b')`);
    await until(() => heard.length === 6);
    expect(heard.slice(3).toSorted()).toEqual(['0:a', '1:b', '2:b']);
    await own.database.query('select pg_terminate_backend($1)', [connection?.pid]);
    await until(() => heard.length === 9);
    expect(heard.slice(6).toSorted()).toEqual(['0:missed', '1:missed', '2:missed']);
    await own.database.query(`select pg_notify('two', 'c')`);
    await until(() => heard.length === 11);
    for (const one of listening) await one.close();
    await eventually(connections, (left) => left.length === 0);
  });

  it('hears nothing any more after it was closed', async () => {
    const heard: (string | undefined)[] = [];
    const listening = await own.database.listen('spec3', (payload) => heard.push(payload));
    await listening.close();
    await own.database.query(`select pg_notify('spec3', 'late')`);
    await sleep(100);
    expect(heard).toEqual([undefined]);
  });
});
