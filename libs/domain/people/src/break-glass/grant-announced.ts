import { type Loaded, type Pipeline } from '#domain/event-sourcing';
import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { type NamedPerson, type RoleEvent, roleStream } from '../role.events.js';
import { roleDecider, type Roles } from '../roles.js';
import { breakGlassWaitMs, decideBreakGlassGrant } from './break-glass.decide.js';

/** An open announcement. */
export type BreakGlass = NamedPerson & {
  /** The event's id. */
  readonly id: string;
  readonly proposedBy: string;
  readonly reason: string | undefined;
  readonly announcedAt: Instant;
  /** The earliest time of the grant. */
  readonly takesEffectAt: Instant;
};

/** The times that decide about a grant. Each method throws DependencyUnavailable. */
export interface BreakGlassTimes {
  now(): Promise<Instant>;
  /** The time at which people were told of the announcement; undefined if they were not told yet. */
  toldAt(announcement: BreakGlass): Promise<Instant | undefined>;
}

/** Returns the open announcement in the stream's events. */
export function breakGlassIn({
  state,
  events,
}: Pick<Loaded<Roles, RoleEvent>, 'state' | 'events'>): BreakGlass | undefined {
  const event = events.findLast(({ type }) => type === 'BreakGlassAnnounced');
  if (!state.announced || !event) return undefined;
  const { id, recordedAt: announcedAt, metadata } = event;
  const takesEffectAt = instantFromMs(msFromInstant(announcedAt) + breakGlassWaitMs);
  return { ...state.announced, id, reason: metadata.reason, announcedAt, takesEffectAt };
}

/**
 * The worker's step: appends the role of an announcement whose time has come (PEO-58). If a stop comes first, it wins,
 * because the append asserts the revision that was read.
 * @returns the open announcement, if there was one
 * @throws DependencyUnavailable
 */
export async function grantAnnounced(
  pipeline: Pipeline,
  times: BreakGlassTimes,
): Promise<BreakGlass | undefined> {
  const of = { decider: roleDecider, stream: roleStream };
  const before = await pipeline.load(of);
  const waiting = breakGlassIn(before);
  if (!waiting) return undefined;
  const { id, reason, announcedAt } = waiting;
  const [toldAt, now] = [await times.toldAt(waiting), await times.now()];
  const events = decideBreakGlassGrant(before.state, { announcedAt, toldAt, now });
  const actor = { kind: 'system', id: 'break-glass' } as const;
  const metadata = {
    correlationId: id,
    causationId: id,
    actor,
    ...(reason !== undefined && { reason }),
  };
  await pipeline.appendTo({ ...of, metadata }, before, events);
  return waiting;
}
