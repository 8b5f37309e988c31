import { Pipeline } from '#domain/event-sourcing';
import { type RoleEvent, RolesInLog, roleStream } from '#domain/people';
import { NoticeOptions } from '#edges/notices';
import { type Database } from '#infra/postgres';
import { UuidIds } from '#infra/runtime';
import { endNotice, noteWaiting, takeNotices } from '#records/operations';
import { MemoryLog, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { BreakGlassStep } from './break-glass.js';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const [person, name, proposedBy] = ['https://id.example#njeri', 'N', 'https://id.example#asha'];

let own: ThrowAwayDatabase;
const opened: Database[] = [];
beforeAll(async () => {
  Logger.overrideLogger(false);
  own = await throwAwayDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(async () => {
  await own.drop();
  Logger.overrideLogger(['error', 'warn', 'log']);
});

/** The database this long after now. */
function inTime(ms: number): Database {
  const later = own.database.beside({ clockOffsetMs: ms });
  opened.push(later);
  return later;
}

/** A log with an announcement of now, and the last event after a step of a worker. */
async function announced(channels: NoticeOptions['channels']) {
  const [log, ids] = [new MemoryLog(), new UuidIds()];
  const actor = { kind: 'system', id: 's' } as const;
  const metadata = { v: 1, correlationId: 'c', causationId: 'c', actor };
  const events: readonly RoleEvent[] = [
    { type: 'RoleGranted', data: { person: proposedBy, name, role: 'admin', proposedBy: 'root' } },
    { type: 'BreakGlassAnnounced', data: { person, name, proposedBy } },
  ];
  const recorded = events.map((event) => ({ id: ids.next(), event, metadata }));
  await log.append(roleStream, 'no_stream', recorded);
  const waiting = await new RolesInLog(log, () => performance.now()).breakGlass();
  const pipeline = new Pipeline(log, ids);
  const notices = new NoticeOptions(channels, undefined);
  const lastAfterStep = async (database: Database): Promise<string | undefined> => {
    await new BreakGlassStep(pipeline, database, notices).step();
    return log.events.at(-1)?.type;
  };
  return { id: waiting?.id ?? '', lastAfterStep };
}

it('an announced admin becomes one after 24 hours of the database’s clock', async () => {
  const { lastAfterStep } = await announced({ url: undefined, mail: undefined });
  const isGrantedIn = async (ms: number) => (await lastAfterStep(inTime(ms))) === 'RoleGranted';
  expect(await isGrantedIn(0)).toBe(false);
  expect(await isGrantedIn(24 * hourMs - 5 * minuteMs)).toBe(false);
  expect(await isGrantedIn(24 * hourMs + 5 * minuteMs)).toBe(true);
});

it.each(['told', 'failed'] as const)(
  'with a channel, the 24 hours begin when the notice ended as %s, however long no worker ran',
  async (outcome) => {
    const { id, lastAfterStep } = await announced({ url: 'http://chat.example', mail: undefined });
    const sentAtMs = 48 * hourMs;
    const then = inTime(sentAtMs);
    expect(await lastAfterStep(then)).toBe('BreakGlassAnnounced');
    const notice = { kind: 'break_glass', id, name, mode: undefined } as const;
    await noteWaiting(then, [notice], ['url'], true);
    const [taken] = await takeNotices(then, 1);
    // A worker that died before it sent the notice told no one, though the notice is a day old.
    expect(await lastAfterStep(inTime(sentAtMs + 25 * hourMs))).toBe('BreakGlassAnnounced');
    if (taken) await endNotice(then, taken, outcome);
    expect(await lastAfterStep(inTime(sentAtMs + 23 * hourMs))).toBe('BreakGlassAnnounced');
    expect(await lastAfterStep(inTime(sentAtMs + 25 * hourMs))).toBe('RoleGranted');
  },
);
