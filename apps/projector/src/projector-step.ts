import { type Logger } from '#infra/runtime';
import { type Projector } from '#views/projection';
import { buildFirst, type ReplayOptions } from '#views/replay';

interface Projecting {
  readonly building: ReplayOptions;
  readonly projector: Pick<Projector, 'lead'>;
  readonly logger: Logger;
}

/**
 * Builds this release's set if it does not exist yet, then leads it. It does not lead a set that another process is
 * building or was killed while building: readers of it would see half of a history.
 */
export async function projectorStep(
  { building, projector, logger }: Projecting,
  signal: AbortSignal,
): Promise<'idle' | 'busy'> {
  const first = await buildFirst(building, signal);
  if (first.kind === 'not built yet') return 'idle';
  if (first.kind === 'nothing to build') return projector.lead(signal);
  logger.info({ schema: building.serving }, 'the views of this release are built');
  try {
    return await projector.lead(signal);
  } finally {
    await first.tidied;
  }
}
