import { type Minor, minorFromDecimal as minorOf } from '#domain/kernel';

/** One way to write each number: no leading zero. The hash of a V3 link covers the text, not the number. */
const canonical = /^(?:0|[1-9][0-9]*)(?:\.|$)/;

/** @returns undefined where the text is no decimal amount in canonical form (PAGE-3) */
export function minorFromDecimal(text: string): Minor | undefined {
  return canonical.test(text) ? minorOf(text) : undefined;
}
