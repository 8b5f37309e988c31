import { type Mode } from '#domain/kernel';
import { holdsEverybody } from '#infra/runtime';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';

/**
 * The address is one of three proofs of a live caller: a list that holds every address proves nothing.
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
