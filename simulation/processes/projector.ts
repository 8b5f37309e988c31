import { Projector } from '#views/projection';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { loop } from './loop.js';
import { metrics } from './metrics.js';
import { type Parts } from './parts.js';

/** As apps/projector has it. */
const standbyMs = 500;

/** The projector's loop, started. */
export function startProjector(life: Life, parts: Parts): void {
  // Its pauses of that length renew the lease and look how fresh the views are.
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
