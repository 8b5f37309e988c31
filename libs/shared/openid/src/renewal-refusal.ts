/** Errors by which a provider says of a refresh token that its person may not stay signed in. */
const refusals: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
]);

/**
 * True if the provider refused to renew a sign-in. Any other error speaks about the provider or the settings, and ends
 * nothing (POR-122).
 * @param error the OAuth `error` of the answer to a refresh token
 */
export function isRenewalRefusal(error: string | undefined): boolean {
  return refusals.has(error);
}
