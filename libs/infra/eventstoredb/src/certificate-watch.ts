import { type EventStoreUrl } from '#infra/runtime';
import { certificateFault } from './certificate-fault.js';
import { type AdapterLogger } from './options.js';

/** The code of the line. */
export const certificateRefused = 'certificate_refused';
/** The least time between two looks: a connection that fails is renewed several times a second. */
const pauseMs = 1_000;

/**
 * Finds out if the store cannot be reached because of its certificate. The log gets one line for a fault, however often
 * the connection fails because of it, and another line for another fault (OPS-45).
 */
export class CertificateWatch {
  readonly #url: EventStoreUrl;
  readonly #logger: AdapterLogger;
  #reported: string | undefined;
  #lookedAtMs = -Infinity;
  #isLooking = false;

  constructor(url: EventStoreUrl, logger: AdapterLogger) {
    this.#url = url;
    this.#logger = logger;
  }

  /** Call this after a failure of the connection. */
  look(): void {
    if (this.#isLooking || performance.now() - this.#lookedAtMs < pauseMs) return;
    this.#isLooking = true;
    void certificateFault(this.#url)
      .then((fault) => {
        if (fault !== undefined && fault !== this.#reported)
          this.#logger.warn({ code: certificateRefused }, fault);
        // A store that is only away says nothing about its certificate.
        this.#reported = fault ?? this.#reported;
      })
      .catch(() => undefined)
      .finally(() => {
        this.#lookedAtMs = performance.now();
        this.#isLooking = false;
      });
  }
}
