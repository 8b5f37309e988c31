import { type Minor, type Mode, modes } from '#domain/kernel';
import { type PayoutTerms, PayoutTermsDirectory } from '#domain/payouts';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';
import { AnnouncedCache } from '#infra/runtime';
import { credentialsChannel } from '#views/merchants';
import {
  type OwnServability,
  requireNotQuarantined,
  requireServable,
  type Servability,
} from '#views/view-set';

interface TermsRow extends Servability, Pick<OwnServability, 'is_quarantined'> {
  readonly timezone: string | null;
  readonly max_minor: Minor | null;
  readonly max_per_day_minor: Minor | null;
  readonly automatic_max_minor: Minor | null;
  readonly automatic_per_day_minor: Minor | null;
  readonly destinations: readonly string[] | null;
}

const selectTerms = {
  name: 'payout-terms',
  text: `
  select checkpoint.fresh_at,
    checkpoint.quarantined > 0 and exists (
      select from quarantines q where q.merchant_id = asked.merchant_id and q.scope = 'merchant'
    ) as is_quarantined,
    m.timezone, t.max_minor, t.max_per_day_minor, t.automatic_max_minor,
    t.automatic_per_day_minor, t.destinations
  from unnest($1::text[], $2::text[]) with ordinality as asked (merchant_id, mode, at)
  left join checkpoint on true
  left join merchants m on m.merchant_id = asked.merchant_id
  left join payout_terms t on t.merchant_id = m.merchant_id and t.mode = asked.mode
  order by asked.at`,
};

/** The merchant and mode whose terms are wanted. */
interface TermsOf {
  readonly merchantId: string;
  readonly mode: Mode;
}

/** Returns a row for each of them; without freshness if there is no checkpoint. */
async function termsRows(database: Queryable, asked: readonly TermsOf[]): Promise<TermsRow[]> {
  const [merchants, modes] = [
    asked.map(({ merchantId }) => merchantId),
    asked.map(({ mode }) => mode),
  ];
  return database.query<TermsRow>(selectTerms, [merchants, modes]);
}

/**
 * The operator's limits from the view. This process caches them for at most a second; the projector's announcement ends
 * the cache sooner. One statement reads terms that are requested together.
 */
export class ProjectedPayoutTerms extends PayoutTermsDirectory {
  readonly #terms: Readonly<Record<Mode, AnnouncedCache<PayoutTerms>>>;

  /** For a short-lived process: it receives no announcements, and caches terms for at most a second. */
  constructor(database: Queryable) {
    super();
    const finding = new MicroBatcher({
      flush: (asked: readonly TermsOf[]) => termsRows(database, asked),
    });
    const termsIn = (mode: Mode) =>
      new AnnouncedCache({
        load: async (merchantId) => termsOf(await finding.add({ merchantId, mode })),
      });
    this.#terms = { live: termsIn('live'), demo: termsIn('demo') };
  }

  /** Listens for announcements until the database is closed. */
  static async open(database: Database): Promise<ProjectedPayoutTerms> {
    const terms = new ProjectedPayoutTerms(database);
    await database.listen(credentialsChannel, () => {
      for (const mode of modes) terms.#terms[mode].forget();
    });
    return terms;
  }

  override async termsOf(merchantId: string, mode: Mode): Promise<PayoutTerms> {
    const terms = await this.#terms[mode].find(merchantId);
    if (!terms) throw new TypeError('every merchant has terms, if only the usual ones');
    return terms;
  }
}

/**
 * While a merchant's own stream is quarantined, an operator's new limits do not reach the view, so payouts are refused.
 * @throws DependencyUnavailable if the views are not built yet; MerchantQuarantined
 */
function termsOf(found: TermsRow): PayoutTerms {
  const row = requireServable(found);
  requireNotQuarantined(row);
  return {
    ...(row.max_minor === null ? {} : { maxMinor: row.max_minor }),
    ...(row.max_per_day_minor === null ? {} : { maxPerDayMinor: row.max_per_day_minor }),
    automaticMaxMinor: row.automatic_max_minor ?? 0n,
    automaticPerDayMinor: row.automatic_per_day_minor ?? 0n,
    ...(row.destinations === null ? {} : { destinations: new Set(row.destinations) }),
    timezone: row.timezone ?? 'UTC',
  };
}
