import { signatureAlgorithms } from './refused-answer.js';

/**
 * The algorithms that both sides accept for an identity token.
 * @param named `id_token_signing_alg_values_supported`; if it is absent, the standard's default applies
 */
export function acceptedAlgorithms(named: readonly string[] | undefined): string[] {
  return named ? signatureAlgorithms.filter((one) => named.includes(one)) : ['RS256'];
}
