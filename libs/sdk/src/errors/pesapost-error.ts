import {
  type DifferentCollection,
  type DifferentPayout,
  type DifferentPayoutBatch,
  type Failure,
} from './failure.js';

/** Facts about the call, not about the failure. */
export interface CallContext {
  /** Method and path. */
  readonly call: string;
  /** The number of times the request was sent. */
  readonly attempts: number;
  /** The key of a money-movement call. A later call with it and the same body repeats this call and starts no other. */
  readonly idempotencyKey: string | undefined;
}

class CallFailed extends Error {
  override readonly name = 'PesaPostError';

  constructor(failure: Failure, context: CallContext, cause: unknown) {
    super(`${context.call}: ${sentence(failure)}`, cause === undefined ? undefined : { cause });
    Object.assign(this, failure, context);
  }

  /** True for an error of another copy too: a program that imports and requires the package has two (SDK-21). */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'PesaPostError';
  }
}

/**
 * The error that a call throws (SDK-10). `switch (error.code)` or `switch (error.kind)` narrows it to the facts of that
 * failure. Mistakes of the calling program (a wrong option, an amount that is no integer) are TypeError and RangeError
 * instead, and an AbortSignal of yours throws its own reason.
 */
export type PesaPostError = Error & CallContext & Failure;

/** For `error instanceof PesaPostError`, which narrows to the union. */
export const PesaPostError = CallFailed as unknown as { readonly prototype: PesaPostError } & {
  [Symbol.hasInstance](value: unknown): value is PesaPostError;
};

export function pesaPostError(
  failure: Failure,
  context: CallContext,
  cause?: unknown,
): PesaPostError {
  return new CallFailed(failure, context, cause) as unknown as PesaPostError;
}

/** Returns the failure for an answer of 200 whose page does not fit the pages before it. */
export function notAPage(path: string): PesaPostError {
  const told = { status: 200, requestId: undefined, retryAfterSeconds: undefined };
  return pesaPostError(
    { ...told, code: 'unexpected_answer', kind: 'unknown' },
    { call: `GET ${path}`, attempts: 1, idempotencyKey: undefined },
  );
}

function sentence(failure: Failure): string {
  if (failure.kind === 'network') return 'no answer: the connection failed or broke';
  if (failure.kind === 'timeout') return `no answer within ${failure.timeoutMs} ms`;
  if (failure.kind === 'not_settled')
    return `${failure.last?.status ?? 'unknown status'} after ${failure.timeoutMs} ms`;
  if (failure.kind === 'refused' && 'differs' in failure) return earlierOne(failure);
  if (failure.code === 'unexpected_answer')
    return `${failure.status}, not in the shape of a PesaPost answer; is baseUrl right?`;
  const code = failure.code === 'unknown_code' ? failure.wireCode : failure.code;
  return withDetail(`${failure.status} ${code}`, failure.detail);
}

const earlier = {
  different_collection: ['collection', 'pushed'],
  different_payout: ['payout', 'reserved'],
  different_payout_batch: ['batch', 'reserved'],
} as const;

function earlierOne({
  code,
  reference,
  differs,
}: DifferentCollection | DifferentPayout | DifferentPayoutBatch): string {
  const [what, done] = earlier[code];
  return `${reference} is an earlier ${what} of another ${differs.join(', ')}; nothing was ${done}`;
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}: ${detail}`;
}
