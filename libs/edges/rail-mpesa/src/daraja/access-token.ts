import { DependencyUnavailable } from '#domain/kernel';
import { type MpesaRailSettings } from '#infra/runtime';
import { type Endpoint, RailCredentialsRefused, tokenIn } from '#edges/rails';
import { errorCodes } from './codes.js';
import { errorCodeOf } from './error-code.js';

export const tokenDeadlineMs = 4000;

/** The lifetime to assume if the rail does not say how long a token lasts. */
const usualLifeSeconds = 3599;

/**
 * True if the rail's own JSON refuses the credentials (COL-21). A page of a firewall in between says nothing about our
 * key and secret.
 */
function refusesCredentials({
  status,
  body,
}: {
  readonly status: number;
  readonly body: string;
}): boolean {
  const errorCode = [400, 401, 403].includes(status) ? errorCodeOf(body) : undefined;
  return (
    errorCode !== undefined &&
    errorCode !== errorCodes.spikeArrest &&
    errorCode !== errorCodes.quota
  );
}

/** Asks the rail for a new token. @throws RailCredentialsRefused, DependencyUnavailable */
export async function fetchToken(
  endpoint: Endpoint,
  { consumerKey, consumerSecret }: Pick<MpesaRailSettings, 'consumerKey' | 'consumerSecret'>,
): Promise<{ token: string; lifeMs: number }> {
  const basic = Buffer.from(`${consumerKey}:${consumerSecret}`, 'utf8').toString('base64');
  const answer = await endpoint.send(
    { headers: { authorization: `Basic ${basic}` } },
    { answerWithinMs: tokenDeadlineMs, lateWithinMs: 0 },
  );
  if (answer.kind !== 'answered') throw new DependencyUnavailable('rail', 'no token in time');
  if (refusesCredentials(answer)) throw new RailCredentialsRefused();
  return tokenIn(answer, usualLifeSeconds);
}
