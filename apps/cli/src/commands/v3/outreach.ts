import { usageWindowDays } from '#domain/v3-retirement';
import { Database } from '#infra/postgres';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { table } from '../../table.js';
import { type Readiness } from '#views/v3-usage';
import { readinessOf } from '../../v3/readiness.js';
import { refuseWithheld, withheldOf } from '../../withheld.js';
import { plainCommand } from '../plain-command.js';

export const outreach = plainCommand(
  'outreach',
  'lists every merchant with V3 calls in the last 30 days, the busiest first',
  'v3 outreach',
).action(async ({ json }: { readonly json?: true }) => {
  const { found, withheld } = await withApp(async (app) => ({
    found: await readinessOf(app),
    withheld: await withheldOf(app.get(Database), {}),
  }));
  const { now, merchants, unknownCalls } = found;
  const callers = merchants
    .filter(({ callsInWindow }) => callsInWindow > 0)
    .sort((a, b) => b.callsInWindow - a.callsInWindow);
  if (json)
    printJson({
      now,
      days: usageWindowDays,
      merchants: callers.map(({ merchantId, name, callsInWindow, routes, links, v4 }) => ({
        merchant_id: merchantId,
        name,
        calls: callsInWindow,
        routes,
        sha1_links: links.inWindow,
        sha1_links_flagged: links.flagged,
        v4_credential: v4.state,
      })),
      unknown_calls: unknownCalls,
    });
  else printLines(asLines(callers, unknownCalls));
  refuseWithheld(withheld);
});

function asLines(callers: Readiness['merchants'], unknownCalls: number): readonly string[] {
  const rows = callers.map(({ merchantId, name, callsInWindow, routes, links, v4 }) => [
    name,
    merchantId,
    String(callsInWindow),
    Object.entries(routes)
      .map(([route, calls]) => `${route} ${calls}`)
      .join(', '),
    `${links.inWindow}${links.flagged ? ' flagged' : ''}`,
    v4.state,
  ]);
  return [
    `merchants with V3 calls in ${usageWindowDays} days: ${callers.length}`,
    ...(rows.length === 0
      ? []
      : table(['name', 'merchant', 'calls', 'by route', 'SHA-1 links', 'V4 credential'], rows)),
    `calls without a known merchant: ${unknownCalls}`,
  ];
}
