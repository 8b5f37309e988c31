import { isUnowned, type Finding, type LedgerItem, withCandidates } from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';
import {
  beginsNear,
  type Context,
  isOfRail,
  itemColumns,
  itemFrom,
  type ItemRow,
} from './items.js';

/** Maximum number of items of one amount and number; a person looks at a few of them. */
const maxOfKey = 50;

// An open payout counts however long it has waited for people or for float; any other item must have begun about that
// day.
const explaining = `
  with wanted as (
    select party, amount_minor, max(at_ms) as until_ms
    from unnest($3::text[], $4::bigint[], $5::float8[]) as l (party, amount_minor, at_ms)
    group by party, amount_minor
  ),
  free as (
    select t.position from transactions t
    where t.mode = $1 and t.receipt is null and ${beginsNear('$2')}
      and t.amount_minor in (select abs(amount_minor) from wanted)
    union
    select t.position from open_payouts o join transactions t on t.stream = o.stream
    where o.mode = $1 and t.receipt is null
  ),
  found as (
    select t.position, row_number() over (partition by w.party, w.amount_minor order by t.position desc) as nth
    from free join transactions t using (position)
    join wanted w on case t.type when 'payout' then - t.amount_minor else t.amount_minor end = w.amount_minor
      and (w.party is null or t.phone_masked is null or t.phone_masked = w.party)
    where ${isOfRail('$6')} and extract(epoch from t.created_at) * 1000 <= w.until_ms + 900000
      and not (t.status = 'failed' and t.posted_at is not null)
      and (w.party is not null or t.posted_at is not null or t.status in ('pending', 'pending_approval'))
  )
  select ${itemColumns}
  from transactions t join transaction_listings l using (position)
  where t.position in (select position from found where nth <= ${maxOfKey})`;

/** Adds, to each line without an item, the items that may explain it (REC-30). */
export async function nameCandidates(
  transaction: Queryable,
  day: Context,
  {
    findings,
    taken,
  }: { readonly findings: readonly Finding[]; readonly taken: ReadonlySet<string> },
): Promise<readonly Finding[]> {
  const lines = findings.flatMap((finding) =>
    finding.line && isUnowned(finding) ? [finding.line] : [],
  );
  if (lines.length === 0) return findings;
  const rows = await transaction.query<ItemRow>(explaining, [
    ...[day.mode, day.date, lines.map(({ party }) => party ?? null)],
    lines.map(({ kind, amountMinor }) => (kind === 'reversal' ? -amountMinor : amountMinor)),
    ...[lines.map(({ atMs }) => atMs), day.channel],
  ]);
  const items = rows
    .map((row): LedgerItem => itemFrom(row, day, []))
    .filter(({ id }) => !taken.has(id));
  return withCandidates(findings, items);
}
