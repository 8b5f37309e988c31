/** Options of the worker's sender of webhooks. */
export class WebhookOptions {
  /** WEBHOOK_ALLOW_PRIVATE. */
  readonly allowPrivate: boolean;
  /** The most attempts in flight, to all endpoints together. */
  readonly maxInFlight: number;
  /** Longer than an attempt and its recording take. After it, the deliveries of a dead worker are sent again. */
  readonly leaseMs: number;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;

  constructor(
    options: Pick<WebhookOptions, 'allowPrivate'> &
      Partial<Pick<WebhookOptions, 'maxInFlight' | 'leaseMs' | 'random'>>,
  ) {
    this.allowPrivate = options.allowPrivate;
    this.maxInFlight = options.maxInFlight ?? 512;
    this.leaseMs = options.leaseMs ?? 30_000;
    this.random = options.random ?? Math.random;
  }
}
