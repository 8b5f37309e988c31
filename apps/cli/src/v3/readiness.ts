import { readV3Readiness } from '#records/v3-usage';
import { Clock } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { type Readiness } from '#views/v3-usage';
import { type INestApplicationContext } from '@nestjs/common';
import { V3Terms } from './v3-terms.js';

/** @param merchantId undefined for all merchants */
export async function readinessOf(
  app: INestApplicationContext,
  merchantId?: string,
): Promise<Readiness> {
  const { gaDate } = app.get(V3Terms);
  const at = { gaDate, now: app.get(Clock).now() };
  const found = await readV3Readiness(app.get(Database), at);
  if (merchantId === undefined) return found;
  return {
    ...found,
    merchants: found.merchants.filter((merchant) => merchant.merchantId === merchantId),
  };
}
