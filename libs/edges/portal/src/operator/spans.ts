/** Spans of time of the plots, and their steps. */
export const spans = {
  hour: { stepSeconds: 300, steps: 12 },
  day: { stepSeconds: 3600, steps: 24 },
  week: { stepSeconds: 86_400, steps: 7 },
} as const;

export type Span = keyof typeof spans;

export function isSpan(text: string): text is Span {
  return Object.hasOwn(spans, text);
}
