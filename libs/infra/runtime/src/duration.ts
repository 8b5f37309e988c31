const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const duration = /^(-?)(\d{1,12})(ms|s|m|h|d)$/;

/**
 * Reads a duration as settings write it: `800ms`, `75s`, `5m`, `48h`, `30d`; `0` needs no unit.
 * @returns milliseconds, or undefined where the text is no duration
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const match = duration.exec(text);
  if (!match) return undefined;
  const [, sign, digits, unit] = match;
  const ms = Number(digits) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isSafeInteger(ms)) return undefined;
  return sign === '-' ? 0 - ms : ms;
}
