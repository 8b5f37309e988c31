/**
 * Where waiting comes from, as `Clock` is where the time comes from: what pauses between tries does it through
 * this port, so that a simulation decides how long a pause is.
 */
export abstract class Timer {
  /** Resolves after that many milliseconds, or as soon as the signal is aborted; never rejects. */
  abstract sleep(ms: number, until?: AbortSignal): Promise<void>;
}
