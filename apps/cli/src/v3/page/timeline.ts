import { type Instant, msFromInstant } from '#domain/kernel';
import { addMonths, datedWindows, startOf } from '#domain/v3-retirement';
import { spoken } from './bars.js';

const width = 760;
const left = 92;
const right = 16;
const rowHeight = 26;
const top = 22;
/** A month more than the calendar has, so that a window without an end visibly continues. */
const shownMonths = 13;

/** The four windows over thirteen months, with a mark for today. */
export function timeline(gaDate: string, now: Instant): string {
  const windows = datedWindows(gaDate);
  const first = msFromInstant(startOf(gaDate));
  const last = msFromInstant(startOf(addMonths(gaDate, shownMonths)));
  const xOf = (ms: number): number =>
    left +
    ((Math.min(Math.max(ms, first), last) - first) / (last - first)) * (width - left - right);
  const bottom = top + windows.length * rowHeight;
  const rows = windows.map(({ phase, from, until }, row) => {
    const [start, end] = [from, until ?? addMonths(gaDate, shownMonths)].map((day) =>
      xOf(msFromInstant(startOf(day))),
    ) as [number, number];
    const y = top + row * rowHeight;
    const days = until === undefined ? `from ${from}` : `${from} to ${until}`;
    return `<text class="label" x="${left - 8}" y="${y + 17}" text-anchor="end">${phase}</text><rect class="phase ${phase}" x="${px(start)}" y="${y + 4}" width="${px(end - start)}" height="18" rx="3"><title>${phase}: ${days}</title></rect>`;
  });
  const months = [0, 3, 6, 9, 12].map((month) => {
    const day = addMonths(gaDate, month);
    const x = px(xOf(msFromInstant(startOf(day))));
    return `<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/><text class="tick" x="${x}" y="${bottom + 16}" text-anchor="middle">${spoken(day)} ${day.slice(0, 4)}</text>`;
  });
  const today = px(xOf(msFromInstant(now)));
  return `<svg class="plot" viewBox="0 0 ${width} ${bottom + 24}" role="img" aria-label="The phases of V3’s end; today is ${now.slice(0, 10)}">
${months.join('')}${rows.join('')}
<line class="today" x1="${today}" x2="${today}" y1="${top - 4}" y2="${bottom}"/><text class="label strong" x="${today}" y="${top - 8}" text-anchor="middle">today</text>
</svg>`;
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
