import { isMode, type Mode, modes } from '#domain/kernel';
import { merchantIdOf } from '#domain/merchants';

/** What stands still by itself: a mode of a merchant, or the merchant's own stream, with which both modes do. */
export type Scope = Mode | 'merchant';

/** Whose events keep their order among themselves, whatever becomes of all others. */
export interface Partition {
  readonly merchantId: string;
  readonly scope: Scope;
}

/** The streams named by mode and merchant; a correction names its merchant in its data alone. */
const prefixesByMode = ['collection-', 'payout-', 'reservations-'] as const;
const correctionPrefix = 'correction-';
const merchantPrefix = 'merchant-';

/**
 * Whose event it is; undefined where it is everybody's (a platform's), or where that cannot be told.
 * @param event `data` absent where they cannot be read
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

/** The prefixes under which all of the partitions' events are found, and some of others (`partitionOf` tells). */
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

/** What stands still with the scope: without the merchant's own stream neither mode goes on. */
export function stoppedWith(scope: Scope): readonly Scope[] {
  return scope === 'merchant' ? ['merchant', ...modes] : [scope];
}
