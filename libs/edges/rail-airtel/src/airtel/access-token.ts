import { DependencyUnavailable } from '#domain/kernel';
import { type Endpoint, parseObject, RailCredentialsRefused, textOf, tokenIn } from '#edges/rails';
import { type AirtelRailSettings } from '#infra/runtime';
import { tokenBody } from './messages.js';

export const tokenDeadlineMs = 4000;

/** The lifetime to assume if Airtel does not say how long a token lasts. */
const usualLifeSeconds = 180;

/** Airtel's errors about our credentials. It may send them with status 200. */
const refusals: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'unauthorized',
]);

/** Asks the rail for a new token. @throws RailCredentialsRefused, DependencyUnavailable */
export async function fetchToken(
  endpoint: Endpoint,
  { clientId, clientSecret }: Pick<AirtelRailSettings, 'clientId' | 'clientSecret'>,
): Promise<{ token: string; lifeMs: number }> {
  const answer = await endpoint.send(
    { headers: { 'content-type': 'application/json' }, body: tokenBody(clientId, clientSecret) },
    { answerWithinMs: tokenDeadlineMs, lateWithinMs: 0 },
  );
  if (answer.kind !== 'answered') throw new DependencyUnavailable('rail', 'no token in time');
  const body = parseObject(answer.body);
  if (body && refusals.has(textOf(body, 'error') ?? '')) throw new RailCredentialsRefused();
  return tokenIn(answer, usualLifeSeconds);
}
