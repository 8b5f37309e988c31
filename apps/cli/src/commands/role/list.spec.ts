import { describe, expect, it } from '@jest/globals';
import { Clock, instantFromMs } from '#domain/kernel';
import { requirePast } from './list.js';

const nowMs = Date.UTC(2026, 10, 20, 17);
const clock = new (class extends Clock {
  override nowMs = () => nowMs;
})();
const to = { clock, store: { head: () => Promise.resolve(40n) } };
const instant = (ms: number) => ({ instant: instantFromMs(ms) });

describe('the moment of a list of roles', () => {
  it.each([[instant(nowMs + 1)], [{ position: 41n }]])(
    'in the future is refused: %o',
    async (at) => {
      await expect(requirePast(to, at)).rejects.toMatchObject({
        lines: [expect.stringMatching(/is in the future$|is beyond the log’s end, 40$/)],
      });
    },
  );

  it.each([['now' as const], [instant(nowMs)], [{ position: 40n }]])(
    'in the past or at present is accepted: %o',
    async (at) => {
      await expect(requirePast(to, at)).resolves.toBeUndefined();
    },
  );
});
