import { createHash, randomBytes } from 'node:crypto';
import { type Clock, ok, refuse, type Result } from '#domain/kernel';
import { type Fault, faults } from './faults.js';
import type { Memory } from './memory.js';
import type { Settings } from './settings.js';

const lifetimeSeconds = 3_599;

/** The rail's access tokens. Only the last one issued is valid. */
export class Tokens {
  private readonly basic: string;

  constructor(
    settings: Pick<Settings, 'consumerKey' | 'consumerSecret'>,
    private readonly clock: Clock,
    private readonly memory: Memory,
  ) {
    const pair = `${settings.consumerKey}:${settings.consumerSecret}`;
    this.basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  /**
   * Issues a token, which ends the previous one.
   * @returns Daraja's body, with `expires_in` as text
   */
  async issue(
    authorization: string | undefined,
    grantType: unknown,
  ): Promise<Result<{ access_token: string; expires_in: string }, Fault>> {
    if (authorization !== this.basic) return refuse(faults.invalidAuthentication);
    if (grantType !== 'client_credentials') return refuse(faults.invalidGrant);
    const token = randomBytes(21).toString('base64url');
    await this.memory.setToken(sha256(token), this.clock.nowMs() + lifetimeSeconds * 1_000);
    return ok({ access_token: token, expires_in: String(lifetimeSeconds) });
  }

  isGood(authorization: string | undefined): boolean {
    const current = this.memory.token;
    if (current === undefined || authorization?.startsWith('Bearer ') !== true) return false;
    return (
      this.clock.nowMs() < current.expiresAtMs && sha256(authorization.slice(7)) === current.sha256
    );
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
