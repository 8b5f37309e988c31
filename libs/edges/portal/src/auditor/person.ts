import { personOf } from '#domain/people';
import { html, type Html } from '#shared/html';
import { isViewer, subjectOf } from '../operator/page-context.js';
import { type PageContext } from './page-context.js';

/** Names of people by their ids. A person who never signed in is not in it. */
export type Names = ReadonlyMap<string, string>;

/** The person's name if the issuer gave one, and the issuer's subject, with the issuer's own name as its title. */
export function personWithName(id: string, names: Names, { viewer, texts }: PageContext): Html {
  const person = personOf(id);
  const subject = person ? subjectOf(person) : html`${id}`;
  const name = isViewer(id, viewer) ? viewer.name : names.get(id);
  if (name === undefined) return subject;
  const shown = isViewer(id, viewer) ? html`<b>${texts.you}</b> (${name})` : html`${name}`;
  return html`${shown} ${subject}`;
}
