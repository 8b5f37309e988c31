import { EventStore, type Position } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { type AccountOwner, boundsOfDay, findAccountOwner, positionBefore } from '#views/balances';
import { projectedPrefixes, ViewProgress } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { isCalendarDay } from '#domain/kernel';
import { Refused } from './refused.js';

/** A moment: the end of a day of the merchant's zone, or a position of the log. */
export type At = { readonly day: string } | { readonly position: Position };

/** A day and the position of its end. `isOver` is true if nothing of the day can follow. */
export interface Moment {
  readonly position: Position;
  /** Present if a day was asked for. */
  readonly day?: { readonly date: string; readonly isOver: boolean };
}

export function parseAt(text: string): At {
  if (/^(0|[1-9]\d{0,17})$/.test(text)) return { position: BigInt(text) };
  if (!isCalendarDay(text))
    throw new InvalidArgumentError('must be a day, as 2026-11-21, or a position of the log');
  return { day: text };
}

/** @throws Refused */
export async function ownerOf(
  app: INestApplicationContext,
  accountNo: string,
): Promise<AccountOwner> {
  const owner = await findAccountOwner(app.get(Database), accountNo);
  if (!owner) throw new Refused([`no account ${accountNo}: npx pesapost merchant list`]);
  return owner;
}

/** Time that a command waits for views that are behind. */
const maxWaitMs = 10_000;

/**
 * The position that was asked for, once the views have reached it.
 * @throws Refused for a day that has not begun, a position beyond the log's end, or views that are far behind
 */
export async function momentOf(
  app: INestApplicationContext,
  { timezone }: AccountOwner,
  at: At,
): Promise<Moment> {
  return reached(app, 'day' in at ? await endOf(app, at.day, timezone) : { position: at.position });
}

async function reached(app: INestApplicationContext, moment: Moment): Promise<Moment> {
  const end = await app.get<EventStore>(EventStore).head(projectedPrefixes);
  if (moment.position > end)
    throw new Refused([`position ${moment.position} is beyond the log’s end, ${end}`]);
  if (!(await new ViewProgress(app.get(Database)).reach(moment.position, maxWaitMs)))
    throw new Refused([
      `the views have not reached position ${moment.position}: npx pesapost status`,
    ]);
  return moment;
}

/**
 * The end of a day, or now if it is not over.
 * @throws Refused if it has not begun
 */
async function endOf(
  app: INestApplicationContext,
  date: string,
  timezone: string,
): Promise<Moment> {
  const database = app.get(Database);
  const { begins, ends, now } = await boundsOfDay(database, date, timezone);
  if (begins > now) throw new Refused([`${date} has not begun in ${timezone}`]);
  const store = app.get<EventStore>(EventStore);
  const position = await positionBefore({ database, store }, ends);
  return { position, day: { date, isOver: ends <= now } };
}
