import { Database } from '#infra/postgres';
import { type NewNotice } from '#records/operations';
import { failingEndpoints, targetName } from '#records/webhooks';
import { sha256Hex } from '#shared/signing';

/** More than fail together in a normal week. Beyond it, no endpoint is known to answer again. */
const maxFailing = 200;
const shortHex = 16;

/**
 * Lists the webhook endpoints that fail now. Each period of failure has an id of its own: a retry causes no notice, and
 * an endpoint that fails again later causes one.
 * @throws DependencyUnavailable
 */
export async function failingNow(
  database: Database,
): Promise<{ readonly items: readonly NewNotice[]; readonly isWhole: boolean }> {
  const { endpoints, ofAll } = await failingEndpoints(database, maxFailing);
  const items = endpoints.map((endpoint): NewNotice => {
    const { merchantId, mode, kind, callbackHost, failingSince } = endpoint;
    // A digest, because the host of a callback is the merchant's own.
    const period = `${targetName(endpoint)} ${failingSince.toISOString()}`;
    const id = sha256Hex(period).slice(0, shortHex);
    const name = `${kind} of merchant ${merchantId}`;
    // The hosts of callbacks may be many, so only the endpoint itself is reported to its merchant's people.
    const own = callbackHost === '' ? { endpoint: { merchantId, kind } } : {};
    return { kind: 'endpoint', id, name, mode, ...own };
  });
  return { items, isWhole: ofAll <= endpoints.length };
}
