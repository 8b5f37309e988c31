import { html, type Html } from '#shared/html';
import { type WebhookHour } from '#records/webhooks';
import { counts, sparkColumns } from '../../page/charts/index.js';
import { clockTime, type WallClock } from '../../page/list-parts.js';
import { type MerchantTexts } from '../merchant-texts.js';

const hourMs = 3_600_000;
const hoursShown = 24;

/** The beginnings of the 24 hours until now, the oldest first. The last one is not over. */
export function lastHours(nowMs: number): readonly Date[] {
  const current = Math.floor(nowMs / hourMs);
  return Array.from(
    { length: hoursShown },
    (_, index) => new Date((current - hoursShown + 1 + index) * hourMs),
  );
}

/** An endpoint's attempts of the last 24 hours: columns by hour, and the totals in words (POR-108). */
export function endpointDay(
  own: readonly WebhookHour[],
  hours: readonly Date[],
  { clock, words }: { readonly clock: WallClock; readonly words: MerchantTexts['webhooks'] },
): Html {
  const found = hours.map((hour) => own.find((one) => one.hour.getTime() === hour.getTime()));
  const delivered = found.map((one) => one?.delivered ?? 0);
  const failed = found.map((one) => one?.failed ?? 0);
  const [accepted, refused] = [sum(delivered), sum(failed)];
  if (accepted + refused === 0) return html`<span class="soft">${words.dayEmpty}</span>`;
  const said = words.dayTotals(accepted, refused);
  const drawn = sparkColumns({
    title: `${words.day}: ${said}`,
    labels: hours.map((hour) => clockTime(hour, clock.timezone)),
    series: [
      counts(words.dayDelivered, 'completed', delivered),
      counts(words.dayFailed, 'failed', failed),
    ],
  });
  return html`<span class="day-spark">${drawn} ${said}</span>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
