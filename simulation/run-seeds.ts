import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Violation } from './core/world.js';

/** A thread's share: every `stride`-th seed. */
export interface Share {
  readonly from: number;
  readonly to: number;
  readonly stride: number;
  readonly bug: string | undefined;
}

/** A thread's report after some schedules. */
export interface Report {
  readonly schedules: number;
  readonly steps: number;
  readonly found: readonly Found[];
}

export interface Found extends Violation {
  readonly seed: number;
}

/** Runs seeds on all processors. @param onReport called with each report */
export async function runSeeds(
  seeds: { readonly from: number; readonly to: number; readonly bug: string | undefined },
  onReport: (report: Report) => void,
): Promise<void> {
  const stride = Math.min(availableParallelism(), seeds.to - seeds.from);
  await Promise.all(
    Array.from({ length: stride }, (_, index) =>
      runShare({ ...seeds, from: seeds.from + index, stride }, onReport),
    ),
  );
}

function runShare(share: Share, onReport: (report: Report) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./seeds-thread.js', import.meta.url), { workerData: share });
    worker.on('message', onReport);
    worker.once('error', reject);
    worker.once('exit', () => {
      resolve();
    });
  });
}
