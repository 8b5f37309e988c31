import { withApp } from '../../app.js';
import { endProgress, printJson, printLines, showProgress } from '../../print.js';
import { settingsOrRefused } from '../../settings.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';
import { type KeyUse, keyUses } from './key-uses.js';

interface StatusOptions {
  readonly events: boolean;
  readonly json?: true;
}

/** Time after RAIL_REVIEW_AFTER in which a collection may still wait for the rail to take a final query. */
const lastQuestionMs = 24 * 3_600_000;

export const status = plainCommand(
  'status',
  'shows the use of each master key: records by table, events, and callback URLs that may still be called',
  'keys status',
)
  .option('--no-events', 'does not read the event log, which takes minutes if it is long')
  .action(async ({ events, json }: StatusOptions) => {
    const callbackUrlLifeMs = settingsOrRefused().railReviewAfterMs + lastQuestionMs;
    const options = { countsEvents: events, callbackUrlLifeMs, onProgress: showProgress };
    const uses = await withApp((app) => keyUses(app, options));
    endProgress();
    if (json) printJson({ keys: uses.map(jsonOf) });
    else printLines(textOf(uses));
  });

function rowsOf({ rows }: KeyUse): number {
  return Object.values(rows).reduce((total, count) => total + count, 0);
}

/** Undefined if the events were not counted. */
function isNeeded(use: KeyUse): boolean | undefined {
  if (use.isFirst || rowsOf(use) > 0 || use.callbackUrlsUntil !== undefined) return true;
  if (use.noticesOf.length > 0) return true;
  return use.events === undefined ? undefined : use.events > 0;
}

function jsonOf(use: KeyUse): object {
  return {
    key_id: use.keyId,
    configured: use.isConfigured,
    first: use.isFirst,
    records: use.rows,
    events: use.events ?? null,
    callback_urls_until: use.callbackUrlsUntil ?? null,
    notices_of: use.noticesOf,
    needed: isNeeded(use) ?? null,
  };
}

function textOf(uses: readonly KeyUse[]): readonly string[] {
  const rows = uses.map((use) => [
    use.keyId,
    use.isFirst ? 'first' : use.isConfigured ? 'opens' : 'not in MASTER_KEY',
    Object.entries(use.rows)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none',
    use.events === undefined ? 'not counted' : `${use.events}`,
    use.callbackUrlsUntil ?? 'none',
    use.noticesOf.join(', ') || 'none',
  ]);
  return [
    ...table(
      ['key', 'in MASTER_KEY', 'records', 'events', 'callback URLs until', 'notices of'],
      rows,
    ),
    ...uses.filter(({ isFirst }) => !isFirst).map(advice),
  ];
}

function advice(use: KeyUse): string {
  const { keyId } = use;
  if (!use.isConfigured)
    return `${keyId}: what it sealed cannot be opened; put the key back, behind the others`;
  if (rowsOf(use) > 0)
    return `${keyId}: npx pesapost keys rewrap, once the first key is in use everywhere`;
  if (use.callbackUrlsUntil !== undefined)
    return `${keyId}: keep it until ${use.callbackUrlsUntil}, for callbacks under way`;
  if (use.noticesOf.length > 0)
    return `${keyId}: keep it until other addresses are registered: npx pesapost rail notices register`;
  if (use.events === undefined)
    return `${keyId}: only events may need it; count them without --no-events`;
  if (use.events > 0)
    return `${keyId}: the evidence of ${use.events} events opens with it alone; their commitments hold without it`;
  return `${keyId}: nothing needs it; remove it from MASTER_KEY`;
}
