import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type Quarantine, quarantines } from '#views/view-set';
import { Refused } from './refused.js';

/** The merchant and mode of a command's output; absent for all. */
interface Scope {
  readonly merchant?: string | undefined;
  readonly mode?: Mode | undefined;
}

/**
 * Quarantines of the views that a command reads, because of which its output is incomplete.
 * @throws DependencyUnavailable
 */
export async function withheldOf(
  database: Queryable,
  { merchant, mode }: Scope,
): Promise<readonly Quarantine[]> {
  return (await quarantines(database)).filter(
    ({ merchantId, scope }) =>
      (merchant === undefined || merchantId === merchant) &&
      (mode === undefined || scope === mode || scope === 'merchant'),
  );
}

/**
 * Ends a command that has printed an incomplete output, so that no one takes it for all.
 * @throws Refused if there is a quarantine
 */
export function refuseWithheld(withheld: readonly Quarantine[]): void {
  if (withheld.length > 0) throw new Refused(withheldWords(withheld));
}

/** One sentence that names the first two quarantines; empty if there are none. */
export function withheldWords(withheld: readonly Quarantine[]): readonly string[] {
  if (withheld.length === 0) return [];
  const parts = withheld.map(
    ({ merchantId, scope, position }) =>
      `merchant ${merchantId}${scope === 'merchant' ? '' : ` in ${scope} mode`} since position ${position}`,
  );
  const [first, second, ...others] = parts;
  const named = [first, second].filter((part) => part !== undefined).join(', ');
  return [
    `incomplete: quarantined views of ${named}${others.length === 0 ? '' : ` and ${others.length} more`} ` +
      '(npx pesapost projection quarantine list)',
  ];
}
