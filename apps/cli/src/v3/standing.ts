import { Clock, type Instant } from '#domain/kernel';
import { findV3Usage, listV3CountedDays, type V3CountedUsage } from '#records/v3-usage';
import { Database } from '#infra/postgres';
import { daysBefore } from '#infra/runtime';
import { dayOf, findV3Standing, type V3Standing } from '#views/v3-usage';
import { missingToRetire, type RetirementFacts, usageWindowDays } from '#domain/v3-retirement';
import { type INestApplicationContext } from '@nestjs/common';
import { V3Terms } from './v3-terms.js';

/** The state of V3: the settings' calendar, the log's notices, the records' counters. */
export interface Standing {
  readonly now: Instant;
  readonly terms: V3Terms;
  readonly usage: V3CountedUsage;
  /** Minutes of each day of the window in which a replica counted. */
  readonly minutes: ReadonlyMap<string, number>;
  readonly log: V3Standing;
  readonly facts: RetirementFacts;
  /** Empty if V3 could be retired now. */
  readonly missing: ReturnType<typeof missingToRetire>;
}

export async function standingOf(app: INestApplicationContext): Promise<Standing> {
  const [database, terms] = [app.get(Database), app.get(V3Terms)];
  const now = app.get(Clock).now();
  const today = dayOf(now);
  const log = await findV3Standing(database);
  const usage = await findV3Usage(database, today, usageWindowDays);
  const counted = await listV3CountedDays(database, daysBefore(today, usageWindowDays));
  const facts: RetirementFacts = {
    gaDate: terms.gaDate,
    now,
    threshold: terms.threshold,
    usage,
    noticedAt: log.notices[0]?.at,
  };
  return {
    now,
    terms,
    usage,
    minutes: new Map(counted.map(({ day, minutes }) => [day, minutes])),
    log,
    facts,
    missing: missingToRetire(facts),
  };
}
