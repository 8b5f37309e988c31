import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Heartbeat, readHeartbeats } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { Beats } from './beats.js';
import { type Mute } from './processes.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());

const simulator = 'daraja-simulator';
const ofApp = (rows: readonly Heartbeat[], app: string): Heartbeat | undefined =>
  rows.find((row) => row.app === app);

it('the launcher beats for itself, and for a child that answers; both have ended when it stops', async () => {
  const { database } = own;
  const processes: { mute: readonly Mute[] } = { mute: [{ process: simulator, pid: 4711 }] };
  const metrics = new Metrics();
  const beats = Beats.start({ databaseUrl: own.url, adminPort: 9464, processes, metrics });
  const rows = () => readHeartbeats(database);
  try {
    const first = await eventually(rows, (seen) => seen.length === 2);
    expect(ofApp(first, 'launcher')).toMatchObject({ pid: process.pid, hasEnded: false });
    expect(ofApp(first, simulator)).toMatchObject({ pid: 4711, hasEnded: false });

    processes.mute = [];
    await eventually(
      async () => {
        // From its next beat on, the launcher alone is seen again.
        const aged = `update records.heartbeats set seen_at = seen_at - interval '1 minute' where app = $1`;
        if ((ofApp(await rows(), simulator)?.silentSeconds ?? 0) < 60)
          for (const app of ['launcher', simulator]) await database.query(aged, [app]);
        return rows();
      },
      (seen) =>
        (ofApp(seen, 'launcher')?.silentSeconds ?? 60) < 60 &&
        (ofApp(seen, simulator)?.silentSeconds ?? 0) >= 60,
    );
  } finally {
    await beats.stop();
  }
  expect((await rows()).map(({ app, hasEnded }) => [app, hasEnded])).toEqual([
    [simulator, true],
    ['launcher', true],
  ]);
});
