/** The result of a decision: a value, or a refusal, which is data with a literal code. Defects throw. */
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

/** Renames the refusal of a result, for an edge or a command line with its own names. */
export function renameRefusal<Value, Refusal extends string, Name>(
  result: Result<Value, Refusal>,
  names: Readonly<Record<Refusal, Name>>,
): Result<Value, Name> {
  return result.ok ? result : refuse(names[result.refusal]);
}

/** Closes an exhaustive switch: a missing case fails to compile, and throws at run time. */
export function assertNever(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}

/**
 * A server that the service depends on did not answer in time or cannot be reached. An edge answers 503
 * `service_unavailable`; a loop backs off and tries again. The message contains no address or secret.
 */
export class DependencyUnavailable extends Error {
  override readonly name: string = 'DependencyUnavailable';
  /** A code for logs and metrics, if it says more than `service_unavailable`, which callers see. */
  readonly code?: string;
  constructor(
    readonly dependency: 'event store' | 'postgres' | 'redis' | 'read model' | 'rail',
    why: string,
    options?: ErrorOptions,
  ) {
    super(`${dependency} is unavailable: ${why}`, options);
  }
}

/** The process is overloaded. The call was refused before any of it began, so nothing of it needs to be stored. */
export class Overloaded extends DependencyUnavailable {
  override readonly name = 'Overloaded';
}
