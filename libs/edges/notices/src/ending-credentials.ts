import { type Queryable } from '#infra/postgres';
import { type NewNotice } from '#records/operations';
import { sha256Hex } from '#shared/signing';
import { type EndingCredential, listEndingCredentials } from '#views/merchants';

/** Days before its end at which a credential is announced, the nearest first. */
const reminderDays = [1, 7, 30] as const;
/** More than end within a month. Those beyond it are announced as the first ones end. */
const maxEnding = 1000;
const daySeconds = 86_400;
const shortHex = 16;

/**
 * Lists the reminders that are due now, one for each credential that ends within 30 days. Its id names the credential,
 * its end and the number of days, so that each is sent once, and again only if the end is changed. A reminder that was
 * missed, because no worker ran, is replaced by the next one.
 * @throws DependencyUnavailable
 */
export async function endingNow(
  database: Queryable,
): Promise<{ readonly items: readonly NewNotice[]; readonly isWhole: boolean }> {
  const within = { withinDays: Math.max(...reminderDays), endedDays: 0 };
  const ending = await listEndingCredentials(database, within, maxEnding);
  // Reminders are never over, so a list that is cut off ends none of the other items.
  return { items: ending.map(reminderOf), isWhole: true };
}

function reminderOf(credential: EndingCredential): NewNotice {
  const { credentialId, merchantId, kind, mode, expiresAt, secondsLeft } = credential;
  const days = reminderDays.find((each) => secondsLeft <= each * daySeconds) ?? 'more';
  const end = expiresAt.toISOString();
  return {
    kind: 'credential',
    id: sha256Hex(`${credentialId} ${end} ${days}`).slice(0, shortHex),
    name: `${kind} ${credentialId} of merchant ${merchantId} until ${end.slice(0, '2026-11-21'.length)}`,
    // A V3 credential serves both modes.
    mode: mode ?? 'live',
    endpoint: { merchantId, kind: kind === 'v3' ? 'v3' : 'v4' },
  };
}
