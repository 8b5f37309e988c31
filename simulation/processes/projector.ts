import { Projector } from '#views/projection';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { loop } from './loop.js';
import { metrics } from './metrics.js';
import { type Parts } from './parts.js';

/** The value of apps/projector. */
const standbyMs = 500;

/** Starts the projector's loop. */
export function startProjector(life: Life, parts: Parts): void {
  // Pauses of that length renew the lease and check how fresh the views are.
  const timer = new VirtualTimer(life, standbyMs);
  const projector = new Projector({
    store: parts.store(life),
    views: parts.views(life),
    lease: parts.lease(life),
    clock: new VirtualClock(life),
    timer,
    metrics,
  });
  const never = new AbortController().signal;
  void loop({
    life,
    name: 'projector',
    timer,
    step: () => projector.lead(never),
    pause: () => timer.sleep(standbyMs),
  });
}
