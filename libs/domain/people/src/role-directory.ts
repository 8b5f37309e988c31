import { type EventStore, fold, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type BreakGlass, breakGlassIn } from './break-glass/grant-announced.js';
import { type HeldRole } from './permissions.js';
import { type Person, personId } from './person.js';
import { type RoleEvent, roleStream } from './role.events.js';
import {
  type HeldTerms,
  heldTerms,
  isSameRole,
  roleDecider,
  type Roles,
  rolesOf,
} from './roles.js';

/** The roles of people now. */
export abstract class RoleDirectory {
  /**
   * Returns the person's roles, at most a second old.
   * @throws DependencyUnavailable
   */
  abstract rolesOf(person: Person): Promise<readonly HeldRole[]>;

  /**
   * True for a suspended admin; at most a second old.
   * @throws DependencyUnavailable
   */
  isSuspended(_person: Person): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * Returns the open announcement of a new admin, at most a second old.
   * @throws DependencyUnavailable
   */
  breakGlass(): Promise<BreakGlass | undefined> {
    return Promise.resolve(undefined);
  }
}

/** A moment of the roles: now, a position of the log (inclusive), or an instant (inclusive). */
export type RolesMoment = 'now' | { readonly position: Position } | { readonly instant: Instant };

/** A role of a person at that moment, with the time and reason of its grant. */
export type RoleSince = HeldTerms & {
  readonly grantedAt: Instant;
  readonly reason?: string;
  /** True if the person was suspended, so that the role does not count. */
  readonly isSuspended: boolean;
};

/** The roles of all people at any moment, for auditors and for admins who decide about roles. */
export abstract class RoleHistory {
  /**
   * Reads the log itself, so it is never behind.
   * @throws DependencyUnavailable
   */
  abstract rolesAt(moment: RolesMoment): Promise<readonly RoleSince[]>;
}

/** A revocation takes effect within this time. */
const maxAgeMs = 1000;

interface Known {
  readonly roles: Roles;
  /** The last announcement of a new admin, open or not. */
  readonly announcement: RecordedEvent<RoleEvent> | undefined;
  /** The revision from which to read on. */
  readonly next: bigint;
  /** The time when the underlying read began. */
  readonly readAtMs: number;
}

/** Both directories, from the stream of roles. It is folded once, then read on from the last known revision. */
export class RolesInLog extends RoleDirectory implements RoleHistory {
  private known: Known = {
    roles: roleDecider.initial,
    announcement: undefined,
    next: 0n,
    readAtMs: -Infinity,
  };
  private reading: Promise<Known> | undefined;

  /** @param monotonicMs milliseconds that never go back, whatever happens to the system clock */
  constructor(
    private readonly store: EventStore,
    private readonly monotonicMs: () => number,
  ) {
    super();
  }

  override async rolesOf(person: Person): Promise<readonly HeldRole[]> {
    const { roles } = await this.fresh();
    return rolesOf(roles, personId(person));
  }

  override async isSuspended(person: Person): Promise<boolean> {
    const { roles } = await this.fresh();
    return roles.suspended.has(personId(person));
  }

  override async breakGlass(): Promise<BreakGlass | undefined> {
    const { roles: state, announcement } = await this.fresh();
    return breakGlassIn({ state, events: announcement ? [announcement] : [] });
  }

  async rolesAt(moment: RolesMoment): Promise<readonly RoleSince[]> {
    const all = await this.store.readStream<RoleEvent>(roleStream);
    const events = all.filter((event) => isBy(event, moment));
    const state = fold(roleDecider, events);
    return heldTerms(state).map((terms) => ({
      ...terms,
      isSuspended: state.suspended.has(terms.person),
      ...granted(events, terms),
    }));
  }

  /** A call during a read shares that read, if it began at most a second ago; otherwise the call reads again. */
  private async fresh(): Promise<Known> {
    if (this.monotonicMs() - this.known.readAtMs < maxAgeMs) return this.known;
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    const read = await this.reading;
    return this.monotonicMs() - read.readAtMs < maxAgeMs ? read : this.read();
  }

  private async read(): Promise<Known> {
    const readAtMs = this.monotonicMs();
    const { roles, announcement, next } = this.known;
    const events = await this.store.readStream<RoleEvent>(roleStream, next);
    const last = events.at(-1);
    const read = {
      roles: fold(roleDecider, events, roles),
      announcement: events.findLast(({ type }) => type === 'BreakGlassAnnounced') ?? announcement,
      next: last ? last.revision + 1n : next,
      readAtMs,
    };
    if (read.next >= this.known.next && readAtMs >= this.known.readAtMs) this.known = read;
    return read;
  }
}

function isBy(event: RecordedEvent<RoleEvent>, moment: RolesMoment): boolean {
  if (moment === 'now') return true;
  if ('position' in moment) return event.position <= moment.position;
  return event.recordedAt <= moment.instant;
}

/** The time and reason of a role's last grant. */
function granted(
  events: readonly RecordedEvent<RoleEvent>[],
  terms: HeldTerms,
): Pick<RoleSince, 'grantedAt' | 'reason'> {
  const event = events.findLast(
    ({ type, data }) =>
      type === 'RoleGranted' && data.person === terms.person && isSameRole(data, terms),
  );
  if (!event) throw new TypeError('a role that is held has a grant');
  const { reason } = event.metadata;
  return { grantedAt: event.recordedAt, ...(reason !== undefined && { reason }) };
}
