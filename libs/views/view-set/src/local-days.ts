import { type Instant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { Generations } from './remembered.js';

/** An instant whose day in the merchant's time zone is wanted. */
export interface MerchantInstant {
  readonly merchantId: string;
  readonly instant: Instant;
}

const maxMerchants = 100_000;
const maxMinutes = 100_000;
/** The length of `YYYY-MM-DDTHH:MM`, and of a whole `Instant`. */
const minuteLength = 16;
const instantLength = 24;
/** From this year on no time zone's offset has seconds, so a day ends with a minute. */
const wholeMinutesFrom = '1980';

const selectZones = {
  name: 'local-days-zones',
  text: `select merchant_id, timezone from merchants where merchant_id = any($1)`,
};
const selectDays = {
  name: 'local-days',
  text: `
  select asked.zone, asked.minute, (asked.minute::timestamptz at time zone asked.zone)::date as day
  from unnest($1::text[], $2::text[]) as asked (zone, minute)`,
};

/**
 * The days in merchants' time zones. They come from Postgres, as in the projection's statements, since its time zone
 * rules differ from this process's. Postgres is asked once for each zone and minute.
 */
export class LocalDays {
  readonly #zones = new Generations<string>(maxMerchants);
  readonly #days = new Generations<string>(maxMinutes);
  /** The last result: consecutive instants are usually of the same minute. */
  #last = { zone: '', minute: '', day: '' };

  constructor(private readonly database: Queryable) {}

  /** Sets the zone of a merchant that the database may not contain yet. */
  note(merchantId: string, zone: string): void {
    this.#zones.set(merchantId, zone);
  }

  /** Loads the days of these instants for `of`, until the next turn but one. */
  async learn(asked: Iterable<MerchantInstant>): Promise<void> {
    const all = [...asked];
    await this.#learnZones(all);
    const unknown = new Map<string, readonly [zone: string, minute: string]>();
    for (const { merchantId, instant } of all) {
      const zone = this.#zones.get(merchantId);
      if (zone === undefined || this.#dayOf(zone, instant) !== undefined) continue;
      const minute = minuteOf(instant);
      unknown.set(keyOf(zone, minute), [zone, minute]);
    }
    if (unknown.size === 0) return;
    const wanted = [...unknown.values()];
    const rows = await this.database.query<{ zone: string; minute: string; day: string }>(
      selectDays,
      [wanted.map(([zone]) => zone), wanted.map(([, minute]) => minute)],
    );
    for (const { zone, minute, day } of rows) this.#days.set(keyOf(zone, minute), day);
  }

  /** True if the merchant is known: the projection writes no item of an unknown merchant. */
  knows(merchantId: string): boolean {
    return this.#zones.get(merchantId) !== undefined;
  }

  /** @throws TypeError if it was not learnt */
  of(merchantId: string, instant: Instant): string {
    const zone = this.#zones.get(merchantId);
    const day = zone === undefined ? undefined : this.#dayOf(zone, instant);
    if (day === undefined) throw new TypeError('the day of an instant was not asked for');
    return day;
  }

  #dayOf(zone: string, instant: Instant): string | undefined {
    const last = this.#last;
    if (last.zone === zone && instant.length === instantLength && instant.startsWith(last.minute))
      return last.day;
    const minute = minuteOf(instant);
    const day = this.#days.get(keyOf(zone, minute));
    if (day !== undefined && minute !== instant)
      this.#last = { zone, minute: minute.slice(0, minuteLength), day };
    return day;
  }

  /** Drops old entries if there are too many. */
  turn(): void {
    this.#zones.turn();
    this.#days.turn();
  }

  async #learnZones(asked: readonly MerchantInstant[]): Promise<void> {
    const unknown = new Set<string>();
    for (const { merchantId } of asked) if (!this.knows(merchantId)) unknown.add(merchantId);
    if (unknown.size === 0) return;
    const rows = await this.database.query<{ merchant_id: string; timezone: string }>(selectZones, [
      [...unknown],
    ]);
    for (const row of rows) this.#zones.set(row.merchant_id, row.timezone);
  }
}

/**
 * The minute of an instant, which is on the same day in every time zone. Old or unusual instants are returned
 * unchanged.
 */
export function minuteOf(instant: Instant): Instant {
  return instant.length === instantLength && instant >= wholeMinutesFrom
    ? (`${instant.slice(0, minuteLength)}:00.000Z` as Instant)
    : instant;
}

function keyOf(zone: string, minute: string): string {
  return `${minute}${zone}`;
}
