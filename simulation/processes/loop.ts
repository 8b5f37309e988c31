import { WrongExpectedRevision } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { CheckpointMoved } from '#views/view-set';
import { Dice } from '../core/dice.js';
import { invariants } from '../oracle/invariants.js';
import { type Life } from '../core/life.js';
import { type VirtualTimer } from '../core/ports.js';

/**
 * True for an expected failure of a step: a server is away, or another process was first. Any other error is a defect.
 */
function isExpected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isExpected);
  return [DependencyUnavailable, CheckpointMoved, WrongExpectedRevision].some(
    (kind) => error instanceof kind,
  );
}

export interface LoopOptions {
  readonly life: Life;
  readonly name: string;
  readonly timer: VirtualTimer;
  readonly step: () => Promise<'idle' | 'busy'>;
  /** The pause between a step that found nothing and the next one. */
  readonly pause: () => Promise<void>;
}

const maxBackoffMs = 5000;

/**
 * Repeats a step for as long as the process lives, with backoff after failures: the Loop of libs/infra/runtime in
 * virtual time.
 */
export async function loop({ life, name, timer, step, pause }: LoopOptions): Promise<void> {
  for (let failures = 0; !life.isOver;) {
    try {
      if ((await step()) === 'idle') await pause();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!isExpected(error))
        life.world.violate(invariants.noDefect, `${life.name}'s ${name}: ${describe(error)}`);
      life.world.tell(() => `${life.name}'s ${name} fails: ${describe(error)}`);
      const full = Math.min(maxBackoffMs, 100 * 2 ** failures);
      const dice = new Dice(life.world.seed, life.label(`${name} backs off`));
      await timer.sleep(full / 2 + (dice.fraction() * full) / 2);
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
