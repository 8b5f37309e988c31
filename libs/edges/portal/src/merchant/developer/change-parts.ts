import { html, type Html } from '#shared/html';
import { definitions, errorSummary, field, notice } from '../../page/parts.js';
import { type Description } from '#records/people';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type FieldErrors } from './typed-form.js';

/** The field of the reason that every change takes. */
export function reasonField(
  { developer: words }: MerchantTexts,
  {
    id,
    error,
    value,
  }: { readonly id: string; readonly error?: string | undefined; readonly value?: string },
): Html {
  return field({
    name: 'reason',
    id,
    label: words.reason,
    hint: words.reasonHint,
    error,
    value,
    isRequired: true,
    maxLength: 500,
  });
}

interface DangerZone {
  readonly title: string;
  readonly how: string;
  readonly content: Html;
  /** True if the form was sent and has an error. */
  readonly isOpen: boolean;
}

/** A form that stops something, folded below the daily ones. */
export function dangerZone({ title, how, content, isOpen }: DangerZone): Html {
  return html`<details class="card danger-zone" ${isOpen ? html` open` : undefined}>
    <summary>${title}</summary>
    <p class="soft">${how}</p>
    ${content}
  </details>`;
}

/** The errors of a form above it. @param prefix of the fields' ids */
export function faults(errors: FieldErrors, prefix: string, { common }: MerchantTexts) {
  const listed = Object.entries(errors).map(([name, text]) => ({
    field: `${prefix}_${name}`,
    text: text ?? '',
  }));
  return errorSummary(common.form.invalid, listed);
}

/** The rows with which each description of a change begins. */
export function placeRows(
  { name, mode }: Place,
  { developer: words }: MerchantTexts,
): Description['rows'] {
  return [
    [words.merchant, name],
    [words.mode, words.modes[mode]],
  ];
}

/** The page of secrets that a change made. It shows them once. */
export function secretPage(
  secrets: readonly (readonly [name: string, secret: string])[],
  { texts, back }: { readonly texts: MerchantTexts; readonly back: Html },
): Html {
  return html`${notice('warning', texts.developer.secretOnce)}
    ${definitions(secrets.map(([name, secret]) => [name, html`<code>${secret}</code>`] as const))}
    <p>${back}</p>`;
}
