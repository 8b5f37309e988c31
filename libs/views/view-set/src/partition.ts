import { isMode, type Mode, modes } from '#domain/kernel';
import { merchantIdOf } from '#domain/merchants';

/** The unit of a quarantine: a mode of a merchant, or the merchant's own stream, which quarantines both modes. */
export type Scope = Mode | 'merchant';

/** A unit whose events keep their order, independently of all others. */
export interface Partition {
  readonly merchantId: string;
  readonly scope: Scope;
}

/** Prefixes of the streams named by mode and merchant. A correction names its merchant only in its data. */
const prefixesByMode = ['collection-', 'payout-', 'reservations-'] as const;
const correctionPrefix = 'correction-';
const merchantPrefix = 'merchant-';

/**
 * The partition of an event; undefined if it is a platform event, or if that cannot be determined.
 * @param event `data` absent if they cannot be read
 */
export function partitionOf(event: {
  readonly stream: string;
  readonly data?: object;
}): Partition | undefined {
  const { stream } = event;
  if (stream.startsWith(merchantPrefix))
    return { merchantId: merchantIdOf(stream), scope: 'merchant' };
  const prefix = [...prefixesByMode, correctionPrefix].find((start) => stream.startsWith(start));
  if (prefix === undefined) return undefined;
  const [mode, named] = stream.slice(prefix.length).split(':', 2);
  const merchantId = prefix === correctionPrefix ? merchantIn(event.data) : named;
  return mode !== undefined && isMode(mode) && merchantId !== undefined
    ? { merchantId, scope: mode }
    : undefined;
}

function merchantIn(data: object | undefined): string | undefined {
  return data && 'merchantId' in data && typeof data.merchantId === 'string'
    ? data.merchantId
    : undefined;
}

/** The prefixes of all events of the partitions, and of some others (`partitionOf` decides). */
export function prefixesOf(merchantId: string, scopes: readonly Scope[]): readonly string[] {
  return scopes.flatMap((scope) =>
    scope === 'merchant'
      ? [`${merchantPrefix}${merchantId}`]
      : [
          ...prefixesByMode.map((prefix) => `${prefix}${scope}:${merchantId}:`),
          `${correctionPrefix}${scope}:`,
        ],
  );
}

/** The scopes that are quarantined with this one: without the merchant's own stream neither mode continues. */
export function stoppedWith(scope: Scope): readonly Scope[] {
  return scope === 'merchant' ? ['merchant', ...modes] : [scope];
}
