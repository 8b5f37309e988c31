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
