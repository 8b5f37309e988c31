/**
 * SQL of the instant at which a day of a time zone begins. If clocks go back over midnight, as in the Azores, that
 * midnight comes twice. Postgres takes it for the second, but the time between the two already belongs to the day.
 * @param day SQL of a date
 * @param zone SQL of the zone's name
 */
export function dayBeginsAt(day: string, zone: string): string {
  return `(
    select case when early at time zone zone = midnight then early else late end
    from (
      select midnight, zone, midnight at time zone zone as late
      from (select (${day})::timestamp as midnight, ${zone} as zone) asked
    ) told
    cross join lateral (select late - interval '24 hours' as before) a_day
    cross join lateral (
      select (midnight - (before at time zone zone - before at time zone 'UTC')) at time zone 'UTC' as early
    ) by_the_offset_before
  )`;
}
