/** What a decision answers: a value, or a refusal, which is data with a literal code. Defects throw. */
export type Result<Value, Refusal> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function refuse<Refusal>(refusal: Refusal): {
  readonly ok: false;
  readonly refusal: Refusal;
} {
  return { ok: false, refusal };
}

/** Closes an exhaustive switch: the compiler objects where a case is missing, and so does the run. */
export function assertNever(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}

/**
 * A server that we depend on did not answer in time or cannot be reached. An edge answers 503
 * `service_unavailable` to it; a loop backs off and tries again. The message names no address or secret.
 */
export class DependencyUnavailable extends Error {
  override readonly name: string = 'DependencyUnavailable';
  /** For logs and metrics, where it says more than `service_unavailable`, which is what callers see. */
  readonly code?: string;
  constructor(
    readonly dependency: 'event store' | 'postgres' | 'redis' | 'read model' | 'rail',
    why: string,
    options?: ErrorOptions,
  ) {
    super(`${dependency} is unavailable: ${why}`, options);
  }
}

/** Too much is at work: the call was turned away before anything of it was begun, so nothing need be kept of it. */
export class Overloaded extends DependencyUnavailable {
  override readonly name = 'Overloaded';
}
