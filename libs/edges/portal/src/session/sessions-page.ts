import { html, type Html } from '#shared/html';
import { type Viewer } from '../access/viewer.js';
import { type Page } from '../page/page.js';
import { form, hidden, table } from '../page/parts.js';
import { shortTime, type WallClock } from '../page/list-parts.js';
import { type Texts } from '../text/texts.js';
import { textsOf } from '../text/texts-of.js';
import { type OpenSession } from '#records/people';

/** The name of the field that names the session to end. */
export const sessionField = 'session';

/** A table of sessions, with the viewer's way to end each. */
export function sessionsTable(
  sessions: readonly OpenSession[],
  { viewer, clock }: { readonly viewer: Viewer; readonly clock: WallClock },
  endOf: (session: OpenSession) => string | Html,
): Html {
  const { sessions: texts } = textsOf(viewer);
  return table({
    caption: texts.title,
    head: [texts.kind, texts.openedAt, texts.lastUsedAt, texts.endsAt, texts.action],
    rows: sessions.map((session) => [
      placeOf(session, texts),
      shortTime(session.openedAt, clock),
      shortTime(session.lastUsedAt, clock),
      shortTime(session.endsAt, clock),
      endOf(session),
    ]),
    empty: html`<p>${texts.none}</p>`,
  });
}

/** The command line, or the browser by its name. */
function placeOf(
  { kind, browser, browserSystem }: OpenSession,
  { commandLine, unknownBrowser, browserOn }: Texts['sessions'],
): string {
  if (kind === 'command_line') return commandLine;
  if (browser === null) return unknownBrowser;
  return browserSystem === null ? browser : browserOn(browser, browserSystem);
}

interface Listed {
  readonly sessions: readonly OpenSession[];
  readonly clock: WallClock;
  readonly wasEnded: boolean;
}

/** The page of the viewer's sessions, with a form to end each. */
export function sessionsPage(viewer: Viewer, { sessions, clock, wasEnded }: Listed): Page {
  const { sessions: texts } = textsOf(viewer);
  const endOf = ({ hash }: OpenSession): string | Html =>
    hash.equals(viewer.sessionHash)
      ? texts.thisOne
      : form(viewer, {
          action: '/portal/sessions/end',
          submit: texts.endButton,
          look: 'secondary',
          fields: [hidden(sessionField, hash.toString('hex'))],
        });
  return {
    title: texts.title,
    done: wasEnded ? texts.ended : undefined,
    content: html`<p>${texts.text}</p>
      ${sessionsTable(sessions, { viewer, clock }, endOf)}
      ${form(viewer, {
        action: '/portal/sessions/end-all',
        submit: texts.endAllButton,
        fields: [],
        danger: true,
      })}`,
  };
}
