import { html } from '#shared/html';
import { type Viewer } from '../access/viewer.js';
import { type Page } from '../page/page.js';
import { definitions, field, form, notice, time } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';

/** The name of the field with the reason of a stop. */
export const stopReasonField = 'stop_reason';

interface Shown {
  readonly timezone: string;
  readonly wasStopped: boolean;
  /** The refusal's text. */
  readonly refused: string | undefined;
}

/** The pending announcement, and the form that stops it. */
export function breakGlassPage(viewer: Viewer, { timezone, wasStopped, refused }: Shown): Page {
  const { breakGlass: texts } = textsOf(viewer);
  const { breakGlass: waiting } = viewer;
  // The announcement may have been stopped since it was read a second ago.
  const isShown = waiting !== undefined && !wasStopped;
  return {
    title: texts.title,
    done: wasStopped ? texts.stopped : undefined,
    ...(refused !== undefined && { status: 422, isFault: true }),
    content: html`${refused === undefined ? undefined : notice('error', refused)}
    ${
      isShown
        ? html`<p>${texts.text}</p>
            ${definitions([
              [texts.name, waiting.name],
              [texts.person, html`<code>${waiting.person}</code>`],
              [texts.by, html`<code>${waiting.proposedBy}</code>`],
              [texts.reason, waiting.reason],
              [texts.announcedAt, time(waiting.announcedAt, timezone)],
              [texts.takesEffectAt, time(waiting.takesEffectAt, timezone)],
            ])}
            ${form(viewer, {
              action: '/portal/break-glass/stop',
              submit: texts.stopButton,
              danger: true,
              fields: [
                field({
                  name: stopReasonField,
                  label: texts.stopReason,
                  isRequired: true,
                  maxLength: 500,
                  autocomplete: 'off',
                }),
              ],
            })}`
        : html`<p>${texts.none}</p>`
    }`,
  };
}
