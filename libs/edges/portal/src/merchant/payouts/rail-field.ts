import { firstChannel } from '#domain/merchants';
import { onRail, railNameOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type MerchantTexts } from '../merchant-texts.js';

/** The choice of a rail, on a form. */
export interface RailChoice {
  /** The rails from which the accounts pay out, the usual one first. A form with one offers no choice. */
  readonly channels: readonly string[];
  readonly typed: string;
  readonly error: string | undefined;
}

/** Returns the radio buttons of the rails; nothing if there is nothing to choose. */
export function railField(
  { channels, typed, error }: RailChoice,
  { payouts: words }: MerchantTexts,
): Html {
  if (channels.length < 2) return html``;
  const chosen = chosenRail(channels, typed);
  return html`<fieldset class="decisions">
    <legend>${words.rail}</legend>
    ${error === undefined ? undefined : html`<p class="wrong" id="channel-error">${error}</p>`}
    ${channels.map(
      (channel, index) =>
        html`<label
          ><input
            type="radio"
            ${index === 0 ? html` id="channel"` : undefined}
            name="channel"
            value="${channel}"
            ${channel === chosen ? html` checked` : undefined}
          />
          ${railNameOf(channel)}</label
        >`,
    )}
  </fieldset>`;
}

/** The rail that a form names; the usual one if it names none of these. */
export function chosenRail(channels: readonly string[], typed: string): string {
  return channels.includes(typed) ? typed : (channels[0] ?? firstChannel);
}

/** The words about a form's problems, with the name of the rail that it chose. */
export function problemWords<Words>(words: Words, channels: readonly string[], typed: string) {
  return onRail(words, chosenRail(channels, typed));
}

/** The row that names a payout's rail; none if it is the usual one. */
export function railRows(
  channel: string,
  { payouts: words }: MerchantTexts,
): readonly (readonly [string, string])[] {
  return channel === firstChannel ? [] : [[words.rail, railNameOf(channel)]];
}
