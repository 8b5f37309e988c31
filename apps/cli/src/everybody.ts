import { type Mode } from '#domain/kernel';
import { holdsEverybody } from '#infra/runtime';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';

/**
 * Refuses a list of addresses that contains every address. The address is one of three proofs of a live caller, and
 * such a list proves nothing.
 * @throws Refused, unless ALLOW_UNSAFE names the rule
 */
export function refuseEverybody(mode: Mode, ranges: readonly string[]): void {
  const rule = 'credentials-for-everybody';
  if (mode !== 'live' || !holdsEverybody(ranges)) return;
  if (settingsOrRefused().allowUnsafe.includes(rule)) return;
  throw new Refused([
    `--ips: holds every address, which live mode refuses: name the caller’s own (ALLOW_UNSAFE=${rule} lifts this rule)`,
  ]);
}
