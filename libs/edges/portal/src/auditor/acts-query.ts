import { isCalendarDay } from '#domain/kernel';
import { personId, personOf } from '#domain/people';
import { beginOfDay, endOfDay } from '#infra/runtime';
import { type ActKind, actKinds, type ActsWanted } from '#views/acts';
import { positiveWhole } from '../access/posted-form.js';
import { type ActivityPlace, placeFrom, textOfPlace } from './activity.js';
import { type Viewer } from '../access/viewer.js';
import { type PersonNames } from '#records/people';

/** Filters for acts, as they were typed. An empty filter matches everything. */
export interface ActsForm {
  readonly person: string;
  readonly kind: string;
  readonly merchant: string;
  /** Days of the platform's zone, inclusive. */
  readonly from: string;
  readonly to: string;
}

/** Errors of a query. */
export type WrongActs = 'days' | 'kind' | 'position';

export interface ActsQuery {
  readonly form: ActsForm;
  readonly wrong: readonly WrongActs[];
  /** The place after which the page begins. */
  readonly place: ActivityPlace;
  /** Matches only acts up to this position. */
  readonly upTo: bigint | undefined;
}

export function readActsQuery(query: URLSearchParams): ActsQuery {
  const text = (name: string): string => (query.get(name) ?? '').trim().slice(0, 200);
  const form = {
    person: text('person'),
    kind: text('kind'),
    merchant: text('merchant'),
    from: text('from'),
    to: text('to'),
  };
  const [before, upTo] = [positiveWhole(query.get('before')), positiveWhole(query.get('up_to'))];
  const beforeProposal = placeFrom(text('before_proposal'));
  const isUnread = (name: string, read: unknown): boolean =>
    text(name) !== '' && read === undefined;
  const wrong: WrongActs[] = [];
  const days = [form.from, form.to].filter((day) => day !== '');
  if (!days.every(isCalendarDay) || (days.length === 2 && form.from > form.to)) wrong.push('days');
  if (form.kind !== '' && !isActKind(form.kind)) wrong.push('kind');
  const isPlaceUnread = isUnread('before', before) || isUnread('before_proposal', beforeProposal);
  if (isPlaceUnread || isUnread('up_to', upTo)) wrong.push('position');
  return { form, wrong, place: { before, beforeProposal }, upTo };
}

function isActKind(text: string): text is ActKind {
  return (actKinds as readonly string[]).includes(text);
}

/** The query string of a page, without its question mark and without empty filters. */
export function searchOfActs(form: ActsForm, more: Readonly<Record<string, string>> = {}): string {
  const told = Object.entries({ ...form, ...more }).filter(([, value]) => value !== '');
  return new URLSearchParams(told).toString();
}

/** The query string of the page that begins after a place. */
export function searchAfter(form: ActsForm, { before, beforeProposal }: ActivityPlace): string {
  return searchOfActs(form, {
    before: before?.toString() ?? '',
    before_proposal: beforeProposal ? textOfPlace(beforeProposal) : '',
  });
}

/** Most people with like names that one text may match. */
const maxPeople = 20;

/**
 * The people whom a text may mean. It can be an id, a subject of the viewer's own issuer, a name from before there was
 * an issuer, or a part of a name of a person who signed in.
 * @throws DependencyUnavailable
 */
async function peopleMeant(
  text: string,
  names: PersonNames,
  { person }: Viewer,
): Promise<string[]> {
  const called = await names.peopleCalled(text, maxPeople);
  const ofIssuer = personOf(text) ? [] : [personId({ issuer: person.issuer, subject: text })];
  return [...new Set([text, ...ofIssuer, ...called])];
}

/**
 * @param query a query without errors
 * @throws DependencyUnavailable
 */
export async function actsWanted(
  { form }: ActsQuery,
  {
    names,
    viewer,
    zone,
  }: { readonly names: PersonNames; readonly viewer: Viewer; readonly zone: string },
): Promise<ActsWanted> {
  const { person, kind, merchant, from, to } = form;
  return {
    ...(person !== '' && { people: await peopleMeant(person, names, viewer) }),
    ...(isActKind(kind) && { kind }),
    ...(merchant !== '' && { merchantId: merchant }),
    ...(isCalendarDay(from) && { from: new Date(beginOfDay(from, zone)) }),
    ...(isCalendarDay(to) && { until: new Date(endOfDay(to, zone)) }),
  };
}
