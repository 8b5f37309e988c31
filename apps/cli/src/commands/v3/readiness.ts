import { Database } from '#infra/postgres';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { table } from '../../table.js';
import { missingToMoveWords } from '../../v3/missing-words.js';
import { type MerchantReadiness, type Readiness } from '#views/v3-usage';
import { readinessOf } from '../../v3/readiness.js';
import { refuseWithheld, withheldOf, withheldWords } from '../../withheld.js';
import { plainCommand } from '../plain-command.js';

interface ReadinessOptions {
  readonly merchant?: string;
  readonly json?: true;
}

export const readiness = plainCommand(
  'readiness',
  'shows how far each V3 merchant has moved to V4, over 90 days',
  'v3 readiness --merchant M',
)
  .option('--merchant <id>', 'only this merchant')
  .action(async ({ merchant, json }: ReadinessOptions) => {
    const { found, withheld } = await withApp(async (app) => ({
      found: await readinessOf(app, merchant),
      withheld: await withheldOf(app.get(Database), { merchant }),
    }));
    if (merchant !== undefined && found.merchants.length === 0)
      throw new Refused([
        `merchant ${merchant} has no V3 credential and has not called V3`,
        ...withheldWords(withheld),
      ]);
    if (json) printJson(asJson(found));
    else printLines(asLines(found));
    refuseWithheld(withheld);
  });

function asLines({ merchants, unknownCalls, unattributedCalls }: Readiness): readonly string[] {
  const ready = merchants.filter(({ missing }) => missing.length === 0).length;
  const rows = merchants.map(({ name, merchantId, callsInWindow, links, v4, missing }) => [
    missing.length === 0 ? 'ready' : 'not yet',
    name,
    merchantId,
    String(callsInWindow),
    String(links.inWindow),
    String(links.movableInWindow),
    v4.state,
  ]);
  const headings = ['', 'name', 'merchant', 'calls', 'SHA-1 links', 'movable', 'V4 credential'];
  return [
    `merchants of V3: ${merchants.length}, of which ${ready} ready (calls and links of 30 days)`,
    ...(rows.length === 0 ? [] : table(headings, rows)),
    ...merchants.flatMap(missingLines),
    ...merchants.flatMap(phoneReferenceLines),
    `calls without a known merchant: ${unknownCalls}; calls of merchants that could not be noted: ${unattributedCalls}`,
  ];
}

function missingLines({ name, missing }: MerchantReadiness): readonly string[] {
  return missing.map((one) => `  ${name}: ${missingToMoveWords[one]}`);
}

function phoneReferenceLines({
  name,
  phoneReferencesInWindow: count,
}: MerchantReadiness): readonly string[] {
  return count === 0
    ? []
    : [`  ${name}: ${count} references hold the customer’s number; V4 refuses such references`];
}

function asJson({ now, days, uncountedDays, ...found }: Readiness): object {
  return {
    now,
    since: days[0],
    uncounted_days: uncountedDays,
    merchants: found.merchants.map((merchant) => ({
      merchant_id: merchant.merchantId,
      name: merchant.name,
      v3_credentials: merchant.v3Credentials,
      v4_credential: merchant.v4.state,
      last_v4_day: merchant.v4.lastDay ?? null,
      checkout_keys: merchant.checkoutKeys,
      calls_in_30_days: merchant.callsInWindow,
      last_call_day: merchant.lastCallDay ?? null,
      calls: merchant.calls.map(({ day, route, calls }) => ({ day, route, calls })),
      sha1_links_in_30_days: merchant.links.inWindow,
      movable_links_in_30_days: merchant.links.movableInWindow,
      sha1_links_flagged: merchant.links.flagged,
      sha1_links: merchant.links.days.map(({ day, links, movable }) => ({ day, links, movable })),
      phone_references_in_30_days: merchant.phoneReferencesInWindow,
      missing: merchant.missing,
    })),
    unknown_calls_in_30_days: found.unknownCalls,
    unattributed_calls_in_30_days: found.unattributedCalls,
  };
}
