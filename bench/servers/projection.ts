import { setTimeout as sleep } from 'node:timers/promises';
import { type Service } from './service.js';

/** The projector's progress, by its metrics. */
export interface Progress {
  readonly lagSeconds: number;
  /** Events applied since the projector's start. */
  readonly events: number;
}

const lookEveryMs = 100;
/** A projector has caught up if it says so and applied nothing during this many readings. */
const quietLooks = 4;
const catchUpMs = 120_000;

export async function progressOf({
  projectorAdminPort,
}: Pick<Service, 'projectorAdminPort'>): Promise<Progress> {
  const response = await fetch(`http://127.0.0.1:${projectorAdminPort}/metrics`);
  const text = await response.text();
  return {
    lagSeconds: metric(text, 'pesapost_projector_lag_seconds'),
    events: metric(text, 'pesapost_projector_events_total'),
  };
}

/** Waits until the views show everything that was taken: the later work of a burst is part of its cost. */
export async function untilCaughtUp(service: Service): Promise<void> {
  const giveUpAt = performance.now() + catchUpMs;
  let [quiet, events] = [0, Number.NaN];
  while (quiet < quietLooks) {
    const progress = await progressOf(service);
    quiet = progress.lagSeconds === 0 && progress.events === events ? quiet + 1 : 0;
    ({ events } = progress);
    if (performance.now() > giveUpAt)
      throw new Error(`the projector did not catch up in ${catchUpMs / 1000} s`);
    await sleep(lookEveryMs);
  }
}

function metric(text: string, name: string): number {
  const [, value] = new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+-]+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`the projector tells no ${name}`);
  return Number(value);
}
