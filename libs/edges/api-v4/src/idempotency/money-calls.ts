import { type Position } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { noteRequest, type SealedRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Caller } from '../authentication/caller.js';
import { MinPosition, showPosition } from '../ledger-position.js';
import { showExisting, showReplayed } from './answer-headers.js';
import { Idempotency, type IdempotencyRefusal, type Round } from './idempotency.js';

/** The result of a command, as its answer's headers show it. */
interface Outcome<Existing> {
  /** The log position of the newest event in the answer. */
  readonly position?: Position;
  /** The earlier request, if the reference existed before this call. */
  readonly existing?: Existing;
  /** True if the same decision was made before. */
  readonly isRepeated?: true;
}

/** A call that may move money, after its fields were validated. */
export interface MoneyCall<Value extends Outcome<Existing>, Existing, Refusal> {
  readonly caller: Caller;
  readonly reply: FastifyReply;
  /** Method and path pattern. The same key on another route is another key, so it must never change. */
  readonly route: string;
  readonly reference: string;
  /** The validated fields, in a fixed order. They make the fingerprint. */
  readonly fields: readonly (string | number)[];
  /** Rejects what only the log can decide, before anything is claimed. */
  readonly require?: () => Promise<void>;
  /** Reads the item's round of decisions before anything is claimed. Absent if a decision on it is final. */
  readonly round?: () => Promise<Round<Value> | undefined>;
  /** Seals the request's bytes as evidence. */
  readonly seal: () => SealedRequest;
  /** Returns the state under the reference, or undefined if there is none. */
  readonly current: () => Promise<Value | undefined>;
  /** @param round the number of the round that was read; undefined if there was none */
  readonly run: (sealed: SealedRequest, round?: number) => Promise<Result<Value, Refusal>>;
  /** Names the fields of the request that differ from the existing item. */
  readonly differences?: (existing: Existing) => readonly string[] | Promise<readonly string[]>;
  /** True if the call recorded nothing, so that its claim is given back. By default each refusal records nothing. */
  readonly recordedNothing?: (outcome: Result<Value, Refusal>) => boolean;
}

/** The steps that all calls share that may move money, in the contract's order. */
@Injectable()
export class MoneyCalls {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly minPosition: MinPosition,
  ) {}

  /**
   * Carries the call out once per Idempotency-Key and sets the headers of its answer.
   * @throws Problem invalid_position and those of `require`; DependencyUnavailable
   */
  async once<Value extends Outcome<Existing>, Existing, Refusal>(
    call: MoneyCall<Value, Existing, Refusal>,
  ): Promise<Result<Value, Refusal | IdempotencyRefusal>> {
    const { caller, reply, route, reference, fields, current } = call;
    const { recordedNothing = isUnrecorded } = call;
    noteRequest(reply.request, { reference });
    await this.minPosition.check(caller);
    await call.require?.();
    const round = await call.round?.();
    const sealed = call.seal();
    const keyed = { caller, route, reference, fields, message: sealed.message };
    const run = () => call.run(sealed, round?.number);
    const result = await this.idempotency.once(keyed, { current, run, recordedNothing, round });
    if (!result.ok) return result;
    const { value, replayed } = result.value;
    showPosition(reply, value.position);
    showReplayed(reply, replayed);
    if (value.existing) showExisting(reply, (await call.differences?.(value.existing)) ?? []);
    return ok(value);
  }
}

function isUnrecorded(outcome: Result<Outcome<unknown>, unknown>): boolean {
  return !outcome.ok || outcome.value.existing !== undefined || outcome.value.isRepeated === true;
}
