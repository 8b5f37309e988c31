import { DependencyUnavailable, ok, Overloaded, refuse, type Result } from '#domain/kernel';
import { createHmac, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type FastClaim, KeyClaims } from '#infra/redis';
import { type SealedMessage } from '#domain/evidence';
import { type Caller } from '../authentication/caller.js';
import { IdempotencyClaims, type NewClaim } from '../ports.js';
import { AbandonedClaims } from './abandoned-claims.js';

/** Visible ASCII, 1 to 255 characters. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Reads the Idempotency-Key header; quotes around it are no part of it. */
export function parseIdempotencyKey(
  header: string | string[] | undefined,
): Result<string, 'missing_idempotency_key' | 'invalid_idempotency_key'> {
  if (header === undefined) return refuse('missing_idempotency_key');
  if (typeof header !== 'string') return refuse('invalid_idempotency_key');
  const key = header.length >= 2 && /^".*"$/.test(header) ? header.slice(1, -1) : header;
  return idempotencyKeyPattern.test(key) ? ok(key) : refuse('invalid_idempotency_key');
}

/**
 * The key of the digests that stand for idempotency keys and for the fields that they were used with. Made once,
 * kept in the records under MASTER_KEY: under a rotated key, a key that was used would look new.
 */
export class IdempotencySecret {
  constructor(private readonly key: KeyObject) {}

  /** @param parts are distinguished: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}

/** A money-movement call: whose, and what it asks for. */
export interface KeyedCall {
  readonly caller: Caller;
  /** Method and path pattern; the same key on another route is another key. */
  readonly route: string;
  readonly reference: string;
  /** The validated fields, in one order. */
  readonly fields: readonly (string | number)[];
  /** Its bytes. */
  readonly message: SealedMessage;
}

/** How the call is carried out, and how what exists of it is found; both answer from the stream. */
interface Effect<Value, Refusal> {
  /** The state under the requested reference; undefined where there is none. */
  readonly current: () => Promise<Value | undefined>;
  readonly run: () => Promise<Result<Value, Refusal>>;
  /** Whether such an outcome of `run` recorded nothing of its own: what it asks for was there already. */
  readonly recordedNothing: (outcome: Result<Value, Refusal>) => boolean;
}

export interface Once<Value> {
  readonly value: Value;
  /** Whether the same call, key and fields, was made before: `Idempotent-Replayed`. */
  readonly replayed: boolean;
}

export type IdempotencyRefusal = 'idempotency_in_progress' | 'idempotency_key_reused';

/** When no claim was made: what is given back with it is the call's bytes alone. */
const neverClaimed = new Date(0);

/** A claim whose call has not left a trace for this long may be taken over (COL-16). */
const abandonedAfterMs = 60_000;

/**
 * One call, one effect. A claim of the key is made in Redis, then in the records, before anything else; a call is
 * done exactly when the stream of its reference exists, so there is no mark that could be lost between the two.
 * Redis answers repeats for 15 minutes, the records remember for 30 days. A call that left nothing gives its claim
 * back: what is kept grows with collections, never with calls.
 */
@Injectable()
export class Idempotency {
  private readonly abandoned: AbandonedClaims;

  constructor(
    private readonly secret: IdempotencySecret,
    private readonly fastClaims: KeyClaims,
    private readonly claims: IdempotencyClaims,
  ) {
    this.abandoned = new AbandonedClaims(claims, abandonedAfterMs);
  }

  /** @throws DependencyUnavailable */
  async once<Value, Refusal>(
    call: KeyedCall,
    effect: Effect<Value, Refusal>,
  ): Promise<Result<Once<Value>, Refusal | IdempotencyRefusal>> {
    const claim = this.claimOf(call);
    const claimed = await this.claimInBothLayers(claim);
    if ('claimedAt' in claimed) {
      const { claimedAt } = claimed;
      const result = await this.carryOut(claim, effect.run, claimedAt);
      if (effect.recordedNothing(result)) await this.giveBack(claim, claimedAt);
      return firstTime(result);
    }

    // An existing reference answers with its state, whatever the key says: the interface binds.
    const current = await effect.current();
    const same = claimed.earlier.equals(claim.fingerprint);
    if (current !== undefined) return ok({ value: current, replayed: same });
    if (!same) return refuse('idempotency_key_reused');
    if (!(await this.unlessBroken(claim, () => this.takeOver(claim))))
      return refuse('idempotency_in_progress');
    // What the owner before may have recorded under this key is not known here: its claim stays.
    return firstTime(await this.carryOut(claim, effect.run));
  }

  /**
   * Of a call that was turned away nothing is kept: it may come again and again, as often as its rate allows.
   * @param claimedAt where the claim is the call's own; one that it took over stays
   */
  private async carryOut<T>(claim: Claim, run: () => Promise<T>, claimedAt?: Date): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const isGivenBack =
        error instanceof Overloaded && (await this.giveBack(claim, claimedAt ?? neverClaimed));
      if (!isGivenBack) await this.abandoned.add(claim);
      throw error;
    }
  }

  /**
   * The records first: as long as Redis has the claim, nobody makes it again. One that another call has taken over since
   * is that call's, in both layers. Where a layer does not answer, the claim ends by its age.
   * @returns whether it was given back in both
   */
  private async giveBack(claim: Claim, claimedAt: Date): Promise<boolean> {
    try {
      const isOurs = await this.claims.giveBack({ ...claim, claimedAt });
      if (isOurs) await this.fastClaims.giveBack(fastClaimOf(claim));
      return isOurs;
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      return false;
    }
  }

  /**
   * A call that broke off is no longer in progress, though its claim may stand (an insert whose answer was lost, too).
   * Should another call with this key be under way, the repeat meets it at the stream's first append: one wins there.
   */
  private async unlessBroken<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.abandoned.add(claim);
      throw error;
    }
  }

  private claimOf({ caller, route, reference, fields, message }: KeyedCall): Claim {
    const { credentialId, merchantId, mode } = caller.credential;
    if (caller.idempotencyKey === undefined)
      throw new TypeError('a call without an Idempotency-Key got past the guard');
    return {
      credentialId,
      keyHash: this.secret.digest('key', merchantId, mode, route, caller.idempotencyKey),
      fingerprint: this.secret.digest('fields', ...fields.map(String)),
      reference,
      message,
    };
  }

  /** @returns the fingerprint with which the key was claimed before, or when it was claimed now */
  private async claimInBothLayers(
    claim: Claim,
  ): Promise<{ readonly earlier: Buffer } | { readonly claimedAt: Date }> {
    const fast = await this.fastClaims.claimKey(fastClaimOf(claim));
    if (fast.kind === 'existing') return { earlier: Buffer.from(fast.value, 'hex') };
    // Fresh in Redis may mean that Redis forgot: the records have the last word.
    const kept = await this.unlessBroken(claim, () => this.claims.claim(claim));
    return kept.kind === 'existing' ? { earlier: kept.fingerprint } : { claimedAt: kept.claimedAt };
  }

  /** The owner may have ended between Redis and the records, or before its intent; or it may still be at work. */
  private async takeOver(claim: Claim): Promise<boolean> {
    const kept = await this.claims.claim(claim);
    if (kept.kind === 'claimed') return true;
    if (!kept.fingerprint.equals(claim.fingerprint) || kept.ageMs < abandonedAfterMs) return false;
    const { claimedAt } = kept;
    return this.claims.takeOver({ ...claim, claimedAt });
  }
}

interface Claim extends NewClaim {
  /** Whose memory the fast claim counts in. */
  readonly credentialId: string;
}

function fastClaimOf({ credentialId, keyHash, fingerprint }: Claim): FastClaim {
  return { credentialId, keyHash: keyHash.toString('hex'), value: fingerprint.toString('hex') };
}

function firstTime<Value, Refusal>(result: Result<Value, Refusal>): Result<Once<Value>, Refusal> {
  return result.ok ? ok({ value: result.value, replayed: false }) : result;
}
