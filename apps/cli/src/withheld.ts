import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type Quarantine, quarantines } from '#views/view-set';
import { Refused } from './refused.js';

/** Of which merchant and mode a command tells; of all where it names none. */
interface Whose {
  readonly merchant?: string | undefined;
  readonly mode?: Mode | undefined;
}

/** What stands still of the views that a command reads, so that it cannot tell all of it. @throws DependencyUnavailable */
export async function withheldOf(
  database: Queryable,
  { merchant, mode }: Whose,
): Promise<readonly Quarantine[]> {
  return (await quarantines(database)).filter(
    ({ merchantId, scope }) =>
      (merchant === undefined || merchantId === merchant) &&
      (mode === undefined || scope === mode || scope === 'merchant'),
  );
}

/**
 * Ends a command that has told what it can: whoever takes it for all would be wrong.
 * @throws Refused where something stands still
 */
export function refuseWithheld(withheld: readonly Quarantine[]): void {
  if (withheld.length > 0) throw new Refused(withheldWords(withheld));
}

/** One sentence that names the first two; none where nothing stands still. */
export function withheldWords(withheld: readonly Quarantine[]): readonly string[] {
  if (withheld.length === 0) return [];
  const parts = withheld.map(
    ({ merchantId, scope, position }) =>
      `merchant ${merchantId}${scope === 'merchant' ? '' : ` in ${scope} mode`} since position ${position}`,
  );
  const [first, second, ...others] = parts;
  const named = [first, second].filter((part) => part !== undefined).join(', ');
  return [
    `incomplete: the views stand still of ${named}${others.length === 0 ? '' : ` and ${others.length} more`} ` +
      '(npx pesapost projection quarantine list)',
  ];
}
