import { daysLeft } from '#desk/operators';
import { html, type Html } from '#shared/html';
import { hasEnded, type OwnCredential } from '#views/merchants';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { statusMark } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';

/** Days before its end from which a credential is announced; the first reminder goes out on the same day. */
const noticeDays = 30;
/** Days before its end from which a card shows it as a fault. */
const urgentDays = 7;

/** A credential that ends soon or has ended, for the page of its merchant. */
export interface EndingKey extends Pick<OwnCredential, 'holder' | 'kind'> {
  /** Whole days, rounded up; 0 if it has ended. */
  readonly days: number;
}

/** The credentials in use that end within 30 days, and those that have ended. The first to end is first. */
export function endingKeys(
  credentials: readonly OwnCredential[],
  nowMs: number,
): readonly EndingKey[] {
  return credentials
    .flatMap(({ holder, kind, revoked, expiresAt }) =>
      revoked || expiresAt === null
        ? []
        : [{ holder, kind, days: daysLeft(expiresAt.getTime(), nowMs) }],
    )
    .filter(({ days }) => days <= noticeDays)
    .toSorted((one, other) => one.days - other.days);
}

/** The end of a credential with the days that are left. */
export function endOf(
  of: OwnCredential,
  { now, clock }: { readonly now: Date; readonly clock: WallClock },
  words: MerchantTexts['keys'],
): Html {
  const { expiresAt, revoked } = of;
  if (expiresAt === null) return html`${words.noEnd}`;
  const at = shortTime(expiresAt, clock);
  if (revoked) return at;
  if (hasEnded(of, now.getTime())) return html`${at} ${statusMark('late', words.ended, 'bad')}`;
  const days = daysLeft(expiresAt.getTime(), now.getTime());
  const left = words.daysLeft(days);
  if (days > noticeDays) return html`${at} (${left})`;
  return html`${at}
  ${days > urgentDays ? statusMark('late', left) : statusMark('late', left, 'bad')}`;
}
