import { html, type Html } from '#shared/html';
import { dayAfter, daysBefore } from '#infra/runtime';
import { icon } from '../../page/icons.js';
import { type WallClock } from '../../page/list-parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Account, type Place } from '../place.js';
import { dayAddress, dayName, query } from './days-page.js';

interface DayAt {
  readonly place: Place;
  readonly account: Account;
  readonly channel: string;
  readonly day: string;
  readonly clock: WallClock;
  /** The first day of the account; undefined if it is not known. */
  readonly openedOn: string | undefined;
}

/** The links of a day's page to the list, to the day before and to the day after. */
export function dayActions(
  { place, account, channel, day, clock, openedOn }: DayAt,
  { days: words }: MerchantTexts,
): Html {
  const [before, after] = [daysBefore(day, 1), dayAfter(day)];
  const list = `${place.base}/days?${query({ account: account.accountNo })}`;
  const link = (to: string, of: (name: string) => Html): Html =>
    html`<a class="button secondary" href="${dayAddress(place, account, to, channel)}"
      >${of(dayName(to, clock, words))}</a
    >`;
  return html`<a class="button secondary" href="${list}">${words.all}</a> ${
      openedOn === undefined || before >= openedOn
        ? link(before, (name) => html`${icon('back')} ${name}`)
        : undefined
    }
    ${after <= clock.today ? link(after, (name) => html`${name} ${icon('next')}`) : undefined}`;
}
