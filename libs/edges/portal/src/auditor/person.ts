import { personOf } from '#domain/people';
import { html, type Html } from '#shared/html';
import { isViewer } from '../operator/looks.js';
import { type Look } from './look.js';

/** What people are called, by their ids; whoever never signed in is not in it. */
export type Names = ReadonlyMap<string, string>;

/** Somebody by name where the issuer told one, with what the issuer calls them, whose own name stands in the title. */
export function personWithName(id: string, names: Names, { viewer, texts }: Look): Html {
  const person = personOf(id);
  const subject = person
    ? html`<span title="${person.issuer}">${person.subject}</span>`
    : html`${id}`;
  const name = isViewer(id, viewer) ? viewer.name : names.get(id);
  if (name === undefined) return subject;
  const shown = isViewer(id, viewer) ? html`<b>${texts.you}</b> (${name})` : html`${name}`;
  return html`${shown}<br /><small>${subject}</small>`;
}
