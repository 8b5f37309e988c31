import { html, type Html } from '#shared/html';
import { maxCountedItems, type RecentCount } from '#views/transactions';
import { columnChart, countChart, counts, type Tone } from '../page/charts/index.js';
import { emptyState } from '../page/parts.js';
import { type PageContext } from './page-context.js';
import { type Span, spans } from './spans.js';

interface Counted {
  readonly collections: readonly RecentCount[];
  readonly reviewsBegun: readonly { readonly ago: number; readonly count: number }[];
}

/** The outcomes in the order of the stack, and their colours. */
const tones = {
  completed: 'completed',
  pending: 'pending',
  in_suspense: 'pending',
  refunded: 'failed',
  failed: 'failed',
} as const;

/** Charts of collections by outcome and of reviews by their begin, with one column a step. */
export function plots(
  { collections, reviewsBegun }: Counted,
  at: { readonly span: Span; readonly now: Date },
  context: PageContext,
): Html {
  const { texts, viewer } = context;
  const { platform: words } = texts;
  const { language } = viewer;
  const outcomes = ['completed', 'pending', 'failed'] as const;
  const series = outcomes.map((tone) => {
    const found = collections.filter(({ status }) => toneOf(status) === tone);
    return counts(words.outcomes[tone], tone, stepsOf(found, at));
  });
  const [first, ...others] = series;
  const labels = labelsOf(at, context);
  const begun = stepsOf(reviewsBegun, at);
  return html`<div class="charts">
      ${
        first && collections.length > 0
          ? columnChart({
              title: words.collections,
              unit: '',
              labels,
              series: [first, ...others],
              language,
            })
          : emptyState(words.noPlot, words.noPlotTodo)
      }
      ${countChart({
        title: words.reviewsBegun,
        points: begun.map((value, index) => ({ label: labels[index] ?? '', value })),
        language,
        tone: 'pending',
      })}
    </div>
    <p class="soft">${words.plotBound(maxCountedItems)}</p>`;
}

function toneOf(status: string): Tone {
  return status in tones ? tones[status as keyof typeof tones] : 'pending';
}

/** A count for each step, the newest last, even for a step with none. */
function stepsOf(
  counted: readonly { readonly ago: number; readonly count: number }[],
  { span }: { readonly span: Span },
): readonly number[] {
  const { steps } = spans[span];
  return Array.from({ length: steps }, (_step, index) =>
    counted.reduce((sum, each) => (each.ago === steps - 1 - index ? sum + each.count : sum), 0),
  );
}

function labelsOf(
  { span, now }: { readonly span: Span; readonly now: Date },
  { zone }: PageContext,
): readonly string[] {
  const { stepSeconds, steps } = spans[span];
  return Array.from({ length: steps }, (_step, index) => {
    const begin = new Date(now.getTime() - (steps - index) * stepSeconds * 1000);
    return label(begin, span, zone);
  });
}

function label(begin: Date, span: Span, zone: string): string {
  const digits = '2-digit';
  const day = { month: digits, day: digits } as const;
  const clock = { hour: digits, minute: digits, hourCycle: 'h23' } as const;
  const parts = span === 'week' ? day : clock;
  return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone }).format(begin);
}
