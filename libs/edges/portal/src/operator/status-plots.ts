import { html, type Html } from '#shared/html';
import { maxCountedItems, type RecentCount } from '#views/transactions';
import { barChart } from '../page/chart.js';
import { emptyState } from '../page/parts.js';
import { type PageContext } from './page-context.js';
import { type Span, spans } from './spans.js';

interface Counted {
  readonly collections: readonly RecentCount[];
  readonly reviewsBegun: readonly { readonly ago: number; readonly count: number }[];
}

/** Plots of collections by outcome and of reviews by their begin, with one point a step. */
export function plots(
  { collections, reviewsBegun }: Counted,
  { span, now }: { readonly span: Span; readonly now: Date },
  context: PageContext,
): Html {
  const { texts, viewer } = context;
  const { platform: words } = texts;
  const outcomes: Readonly<Record<string, string>> = words.outcomes;
  const statuses = Object.keys(outcomes).filter((status) =>
    collections.some((each) => each.status === status),
  );
  const chart = (title: string, counts: readonly { ago: number; count: number }[]): Html =>
    barChart({
      title,
      unit: '',
      language: viewer.language,
      points: pointsOf(counts, { span, now }, context),
    });
  const counted = statuses.map((status) =>
    chart(
      words.collections(outcomes[status] ?? status),
      collections.filter((each) => each.status === status),
    ),
  );
  return html`${counted.length === 0 ? emptyState(words.noPlot, words.noPlotTodo) : counted}
    ${chart(words.reviewsBegun, reviewsBegun)}
    <p>${words.plotBound(maxCountedItems)}</p>`;
}

/** One point for each step, the newest last, even for a step with a count of zero. */
function pointsOf(
  counts: readonly { readonly ago: number; readonly count: number }[],
  { span, now }: { readonly span: Span; readonly now: Date },
  { zone }: PageContext,
) {
  const { stepSeconds, steps } = spans[span];
  return Array.from({ length: steps }, (_step, index) => {
    const ago = steps - 1 - index;
    const begin = new Date(now.getTime() - (ago + 1) * stepSeconds * 1000);
    const value = counts.reduce((sum, each) => (each.ago === ago ? sum + each.count : sum), 0);
    return { label: label(begin, span, zone), value };
  });
}

function label(begin: Date, span: Span, zone: string): string {
  const digits = '2-digit';
  const day = { month: digits, day: digits } as const;
  const clock = { hour: digits, minute: digits, hourCycle: 'h23' } as const;
  const parts = span === 'week' ? day : clock;
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone }).format(begin);
}
