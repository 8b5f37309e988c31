import { Database } from '#infra/postgres';
import { type Quarantine, quarantines } from '#views/view-set';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';

export const list = plainCommand(
  'list',
  'lists quarantined merchants, with the event and the reason',
  'projection quarantine list',
).action(async ({ json }: { readonly json?: true }) => {
  const standing = await withApp((app) => quarantines(app.get(Database)));
  if (json) printJson({ quarantines: standing.map(quarantineJson) });
  else printLines(quarantineLines(standing));
});

/** A table of quarantines, or a line that says that there are none. */
export function quarantineLines(standing: readonly Quarantine[]): readonly string[] {
  if (standing.length === 0) return ['no merchant is quarantined'];
  return table(
    ['merchant', 'scope', 'position', 'event', 'recorded', 'retries', 'why'],
    standing.map(({ merchantId, scope, position, type, recordedAt, retries, why }) => [
      merchantId,
      scope,
      position.toString(),
      type,
      recordedAt,
      String(retries),
      why,
    ]),
  );
}

export function quarantineJson(of: Quarantine): object {
  return {
    merchant_id: of.merchantId,
    scope: of.scope,
    position: of.position.toString(),
    stream: of.stream,
    type: of.type,
    event_id: of.eventId,
    recorded_at: of.recordedAt,
    applied_to: of.appliedTo.toString(),
    retries: of.retries,
    why: of.why,
  };
}
