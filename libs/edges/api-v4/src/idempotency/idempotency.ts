import { DependencyUnavailable, ok, Overloaded, refuse, type Result } from '#domain/kernel';
import { createHmac, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type FastClaim, KeyClaims } from '#infra/redis';
import { type SealedMessage } from '#domain/evidence';
import { type Caller } from '../authentication/caller.js';
import { IdempotencyClaims, type NewClaim } from '#records/credentials';
import { storedKey } from '#records/keys';
import { type Queryable } from '#infra/postgres';
import { type Keyring } from '#shared/signing';
import { AbandonedClaims } from './abandoned-claims.js';

/** Visible ASCII, 1 to 255 characters. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Reads the Idempotency-Key header without its surrounding quotes. */
export function parseIdempotencyKey(
  header: string | string[] | undefined,
): Result<string, 'missing_idempotency_key' | 'invalid_idempotency_key'> {
  if (header === undefined) return refuse('missing_idempotency_key');
  if (typeof header !== 'string') return refuse('invalid_idempotency_key');
  const key = header.length >= 2 && /^".*"$/.test(header) ? header.slice(1, -1) : header;
  return idempotencyKeyPattern.test(key) ? ok(key) : refuse('invalid_idempotency_key');
}

/**
 * Digests idempotency keys and the fields that they were used with. The HMAC key is made once and stored in the records
 * under MASTER_KEY. It is never rotated: after a rotation, a used idempotency key would look new.
 */
export class IdempotencySecret {
  constructor(private readonly key: KeyObject) {}

  /** @param parts are kept apart: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}

/** Opens the key, or makes it if there is none. @throws DependencyUnavailable, UnopenableCiphertext */
export async function openIdempotencySecret(
  database: Queryable,
  keyring: Keyring,
): Promise<IdempotencySecret> {
  return new IdempotencySecret(await storedKey(database, keyring, 'idempotency_hmac_key'));
}

/** A money-movement call, with its caller. */
export interface KeyedCall {
  readonly caller: Caller;
  /** Method and path pattern. The same key on another route is another key. */
  readonly route: string;
  readonly reference: string;
  /** The validated fields, in a fixed order. */
  readonly fields: readonly (string | number)[];
  /** The request's sealed bytes. */
  readonly message: SealedMessage;
}

/**
 * An item's round of decisions, read before the key is claimed. A round ends when a decision no longer counts. A key
 * belongs to the round in which it was claimed: in a later round it is a replay and decides nothing (COL-32).
 */
export interface Round<Value> {
  /** The number of rounds that have ended. */
  readonly number: number;
  /** The item's current state. It answers a key of an earlier round. */
  readonly value: Value;
}

/** The call's work, and the way to find an earlier result of it. Both read the stream. */
interface Effect<Value, Refusal> {
  /** Returns the state under the requested reference, or undefined if there is none. */
  readonly current: () => Promise<Value | undefined>;
  readonly run: () => Promise<Result<Value, Refusal>>;
  /** True if `run` recorded nothing, because its reference existed already or it was refused. */
  readonly recordedNothing: (outcome: Result<Value, Refusal>) => boolean;
  /** Absent if the call's effect is final. */
  readonly round?: Round<Value> | undefined;
}

export interface Once<Value> {
  readonly value: Value;
  /** True if the same key was used with the same fields before: `Idempotent-Replayed`. */
  readonly replayed: boolean;
}

export type IdempotencyRefusal = 'idempotency_in_progress' | 'idempotency_key_reused';

/** The time of a claim that was never made. Giving it back removes only the call's bytes. */
const neverClaimed = new Date(0);

/** A claim of this age may be taken over if its call recorded nothing (COL-16). */
const abandonedAfterMs = 60_000;

/**
 * Gives each call one effect. The key is claimed in Redis and then in the records, before anything else. A call is done
 * exactly when the stream of its reference exists, so there is no separate mark that could be lost. Redis answers
 * repeats for 15 minutes, the records for 30 days. A call that recorded nothing gives its claim back, so storage grows
 * with collections and not with calls.
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
    const { round } = effect;
    const claim = this.claimOf(call, round?.number ?? 0);
    const claimed = await this.claimInBothLayers(claim);
    if ('claimedAt' in claimed) return this.carryOut(claim, effect, claimed.claimedAt);

    if (round && claim.isOfEarlierRound(claimed.earlier)) return replay(round);
    // The interface's rule: an existing reference answers with its state, whatever the key.
    const current = await effect.current();
    const same = claimed.earlier.equals(claim.fingerprint);
    if (current !== undefined) return ok({ value: current, replayed: same });
    if (!same) return refuse('idempotency_key_reused');
    const taken = await this.unlessBroken(claim, () => this.takeOver(claim));
    if (taken.ok) return this.carryOut(claim, effect, taken.value);
    if (taken.refusal !== 'earlier_round') return refuse(taken.refusal);
    return round ? replay(round) : refuse('idempotency_key_reused');
  }

  /**
   * Runs the call. If it recorded nothing, or is refused under overload, its repeats do not fill the records and need
   * not wait (COL-17).
   * @param claimedAt the time of the call's own claim, or `neverClaimed` if it took one over
   */
  private async carryOut<Value, Refusal>(
    claim: Claim,
    { run, recordedNothing }: Effect<Value, Refusal>,
    claimedAt: Date,
  ): Promise<Result<Once<Value>, Refusal>> {
    let result: Result<Value, Refusal>;
    try {
      result = await run();
    } catch (error) {
      if (error instanceof Overloaded) await this.leave(claim, claimedAt);
      else await this.abandoned.add(claim);
      throw error;
    }
    if (recordedNothing(result)) await this.leave(claim, claimedAt);
    return firstTime(result);
  }

  /**
   * Ends a call that recorded nothing. A claim that it took over stays, because the previous owner may have recorded
   * something under it. Such a claim counts as abandoned, so that the next call takes it over at once.
   */
  private async leave(claim: Claim, claimedAt: Date): Promise<void> {
    if (!(await this.giveBack(claim, claimedAt))) await this.abandoned.add(claim);
  }

  /**
   * Gives a claim back, first in the records: while Redis has the claim, no other call can make it. A claim that
   * another call has taken over belongs to that call, in both layers. If a layer does not answer, the claim expires.
   * @returns true if it was given back in both
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
   * Marks a call that failed here as abandoned. It is no longer in progress, though its claim may exist (for example if
   * an insert's answer was lost). If another call with this key is under way, the stream's first append decides which
   * one wins.
   */
  private async unlessBroken<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.abandoned.add(claim);
      throw error;
    }
  }

  private claimOf({ caller, route, reference, fields, message }: KeyedCall, round: number): Claim {
    const { credentialId, merchantId, mode } = caller.credential;
    if (caller.idempotencyKey === undefined)
      throw new TypeError('a call without an Idempotency-Key got past the guard');
    const fingerprintIn = (round: number) =>
      this.secret.digest('fields', ...fields.map(String), ...(round === 0 ? [] : [String(round)]));
    const earlier = Array.from({ length: round }, (_, before) => before);
    return {
      credentialId,
      keyHash: this.secret.digest('key', merchantId, mode, route, caller.idempotencyKey),
      fingerprint: fingerprintIn(round),
      isOfEarlierRound: (other) => earlier.some((before) => fingerprintIn(before).equals(other)),
      reference,
      message,
    };
  }

  /** @returns the fingerprint of the earlier claim, or the time of this one */
  private async claimInBothLayers(
    claim: Claim,
  ): Promise<{ readonly earlier: Buffer } | { readonly claimedAt: Date }> {
    const fast = await this.fastClaims.claimKey(fastClaimOf(claim));
    if (fast.kind === 'existing') return { earlier: Buffer.from(fast.value, 'hex') };
    // A claim that looks new in Redis may have been flushed there, so the records decide.
    const kept = await this.unlessBroken(claim, () => this.claims.claim(claim));
    if (kept.kind === 'claimed') return { claimedAt: kept.claimedAt };
    if (!kept.fingerprint.equals(claim.fingerprint)) await this.takeBackFast(claim);
    return { earlier: kept.fingerprint };
  }

  /**
   * Removes the fast claim that this call just made, because the records have the key with another fingerprint.
   * Otherwise the rightful repeat would look like a misuse for 15 minutes. Without Redis, the claim expires.
   */
  private async takeBackFast(claim: Claim): Promise<void> {
    try {
      await this.fastClaims.giveBack(fastClaimOf(claim));
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
    }
  }

  /**
   * The owner may have died between Redis and the records, or before its intent, or it may still be running.
   * @returns the time of the claim if the records had none, or `neverClaimed` if it was taken over
   */
  private async takeOver(
    claim: Claim,
  ): Promise<Result<Date, IdempotencyRefusal | 'earlier_round'>> {
    const kept = await this.claims.claim(claim);
    if (kept.kind === 'claimed') return ok(kept.claimedAt);
    // Redis had forgotten the claim, and has that of a later repeat.
    if (claim.isOfEarlierRound(kept.fingerprint)) return refuse('earlier_round');
    // Redis may have the fingerprint of a misuse, but the records decide.
    if (!kept.fingerprint.equals(claim.fingerprint)) return refuse('idempotency_key_reused');
    if (kept.ageMs < abandonedAfterMs) return refuse('idempotency_in_progress');
    const { claimedAt } = kept;
    const isTaken = await this.claims.takeOver({ ...claim, claimedAt });
    return isTaken ? ok(neverClaimed) : refuse('idempotency_in_progress');
  }
}

interface Claim extends NewClaim {
  /** The credential whose memory the fast claim counts against. */
  readonly credentialId: string;
  /** True if this fingerprint is that of the same fields in an earlier round. */
  readonly isOfEarlierRound: (fingerprint: Buffer) => boolean;
}

function fastClaimOf({ credentialId, keyHash, fingerprint }: Claim): FastClaim {
  return { credentialId, keyHash: keyHash.toString('hex'), value: fingerprint.toString('hex') };
}

function replay<Value>({ value }: Round<Value>): Result<Once<Value>, never> {
  return ok({ value, replayed: true });
}

function firstTime<Value, Refusal>(result: Result<Value, Refusal>): Result<Once<Value>, Refusal> {
  return result.ok ? ok({ value: result.value, replayed: false }) : result;
}
