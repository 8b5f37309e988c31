import { type Logger } from '#infra/runtime';
import { type Projector } from '#views/projection';
import { buildFirst, type ReplayOptions } from '#views/replay';

interface Projecting {
  readonly building: ReplayOptions;
  readonly projector: Pick<Projector, 'lead'>;
  readonly logger: Logger;
}

/**
 * Builds the set of this release where nobody has yet, then leads it. A set that another process builds, or was killed
 * at, is not led: what reads it would see half of a history.
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
