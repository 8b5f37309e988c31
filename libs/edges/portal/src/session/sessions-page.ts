import { html } from '#shared/html';
import { type Viewer } from '../access/viewer.js';
import { type Page } from '../page/page.js';
import { form, hidden, table, time } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type OpenSession } from '#records/people';

/** The name of the field that names the session to end. */
export const sessionField = 'session';

interface Listed {
  readonly sessions: readonly OpenSession[];
  readonly timezone: string;
  readonly wasEnded: boolean;
}

/** The page of the viewer's sessions, with a form to end each. */
export function sessionsPage(viewer: Viewer, { sessions, timezone, wasEnded }: Listed): Page {
  const { sessions: texts } = textsOf(viewer);
  const rows = sessions.map(({ hash, kind, openedAt, lastUsedAt, endsAt }) => [
    texts.kinds[kind],
    time(openedAt, timezone),
    time(lastUsedAt, timezone),
    time(endsAt, timezone),
    hash.equals(viewer.sessionHash)
      ? texts.thisOne
      : form(viewer, {
          action: '/portal/sessions/end',
          submit: texts.endButton,
          fields: [hidden(sessionField, hash.toString('hex'))],
        }),
  ]);
  return {
    title: texts.title,
    done: wasEnded ? texts.ended : undefined,
    content: html`<p>${texts.text}</p>
      ${table({
        caption: texts.title,
        head: [texts.kind, texts.openedAt, texts.lastUsedAt, texts.endsAt, texts.action],
        rows,
        empty: html``,
      })}
      ${form(viewer, {
        action: '/portal/sessions/end-all',
        submit: texts.endAllButton,
        fields: [],
        danger: true,
      })}`,
  };
}
