import { setTimeout as sleep } from 'node:timers/promises';
import { Timer } from '#domain/kernel';

/** The event loop's own timers. */
export class SystemTimer extends Timer {
  override async sleep(ms: number, until?: AbortSignal): Promise<void> {
    // Aborting is how a pause is cut short, so it is no failure.
    await sleep(ms, undefined, until ? { signal: until } : {}).catch(() => undefined);
  }
}
