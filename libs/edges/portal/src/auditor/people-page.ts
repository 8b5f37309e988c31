import { type RecordedEvent } from '#domain/event-sourcing';
import { type EvidenceEvent } from '#domain/evidence';
import { type RoleEvent } from '#domain/people';
import { html, type Html } from '#shared/html';
import { itemOf } from '#views/cases';
import { itemHref, pageSize, who } from '../operator/looks.js';
import { emptyState, field, form, table, time } from '../page/parts.js';
import { type Look } from './look.js';

export type PeopleEvent = RecordedEvent<RoleEvent> | RecordedEvent<EvidenceEvent>;

/** What is looked for; empty where anything is. */
export interface PeopleFilter {
  readonly person: string;
  readonly day: string;
}

interface PeoplePage extends PeopleFilter {
  /** The newest first. */
  readonly events: readonly PeopleEvent[];
  /** How many of each kind were looked through. */
  readonly window: number;
}

/** What people did about roles and evidence: who, when, what and why. */
export function peoplePage({ events, window, person, day }: PeoplePage, look: Look): Html {
  const { words, texts, zone } = look;
  const { people } = words;
  return html`<p>${people.intro}</p>
    ${form(look.viewer, {
      ...{ action: '/portal/audit/people', method: 'get', submit: texts.filter, isRow: true },
      fields: [
        field({
          ...{ name: 'person', label: people.person, hint: people.personHint, value: person },
          maxLength: 200,
        }),
        field({ name: 'day', label: people.day, type: 'date', value: day }),
      ],
    })}
    ${table({
      caption: people.caption,
      head: [texts.when, texts.who, texts.what, people.about, texts.reason],
      rows: events
        .slice(0, pageSize)
        .map((event) => [
          time(event.recordedAt, zone),
          who(event.metadata.actor.id, look),
          people.did[event.type],
          aboutOf(event, look),
          event.metadata.reason ?? '',
        ]),
      empty: emptyState(people.empty, people.emptyTodo),
    })}
    <p>${people.window(window)}</p>`;
}

function aboutOf(event: PeopleEvent, { words }: Look): Html | string {
  switch (event.type) {
    case 'RoleGranted':
    case 'RoleRevoked': {
      const { name, role, merchantId } = event.data;
      const at = merchantId === undefined ? words.roles.platform : merchantId;
      return `${name}: ${role} (${at})`;
    }
    case 'EvidenceOpened': {
      const { stream, messages } = event.data;
      const item = itemOf(stream);
      const name = item ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : stream;
      return html`${name}, ${words.people.messages(messages)}`;
    }
    case 'EvidenceErased':
      return words.people.messages(event.data.messages);
  }
}

/** By the person’s id, or the name of whom it is about. */
export function fits(event: PeopleEvent, wanted: string): boolean {
  const name = 'name' in event.data ? event.data.name : '';
  return `${event.metadata.actor.id}\n${name}`.toLowerCase().includes(wanted.toLowerCase());
}
