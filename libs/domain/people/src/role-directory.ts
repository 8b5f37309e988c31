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

/** What a person may do now. */
export abstract class RoleDirectory {
  /** At most a second old. @throws DependencyUnavailable */
  abstract rolesOf(person: Person): Promise<readonly HeldRole[]>;

  /** True for an admin who is suspended; at most a second old. @throws DependencyUnavailable */
  isSuspended(_person: Person): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** The announcement of a new admin that waits; at most a second old. @throws DependencyUnavailable */
  breakGlass(): Promise<BreakGlass | undefined> {
    return Promise.resolve(undefined);
  }
}

/** When is meant: now, as of a position of the log (inclusive), or as of an instant (inclusive). */
export type RolesMoment = 'now' | { readonly position: Position } | { readonly instant: Instant };

/** A role that somebody had, since when and why. */
export type RoleSince = HeldTerms & {
  readonly grantedAt: Instant;
  readonly reason?: string;
  /** The person was suspended: the role does not count. */
  readonly isSuspended: boolean;
};

/** Who had which role, for auditors and for whoever decides about roles. */
export abstract class RoleHistory {
  /** From the log itself, so never behind. @throws DependencyUnavailable */
  abstract rolesAt(moment: RolesMoment): Promise<readonly RoleSince[]>;
}

/** What a revocation may take to act. */
const maxAgeMs = 1000;

interface Known {
  readonly roles: Roles;
  /** The last announcement of a new admin, whether or not it still waits. */
  readonly announcement: RecordedEvent<RoleEvent> | undefined;
  /** The revision to read on from. */
  readonly next: bigint;
  /** When the read began that this rests on. */
  readonly readAtMs: number;
}

/** Both, as the stream of roles has them: folded once, then read on from the last revision that is known. */
export class RolesInLog extends RoleDirectory implements RoleHistory {
  private known: Known = {
    roles: roleDecider.initial,
    announcement: undefined,
    next: 0n,
    readAtMs: -Infinity,
  };
  private reading: Promise<Known> | undefined;

  /** @param monotonicMs milliseconds that only rise, whatever happens to the clock on the wall */
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

  /** Whoever asks while a read is under way joins it: it began a second ago at most, else it is not waited for. */
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

/** Of what is held: when it was granted last, and why. */
function granted(
  events: readonly RecordedEvent<RoleEvent>[],
  terms: HeldTerms,
): Pick<RoleSince, 'grantedAt' | 'reason'> {
  const event = events.findLast(
    ({ type, data }) =>
      type === 'RoleGranted' && data.person === terms.person && isSameRole(data, terms),
  );
  if (!event) throw new TypeError('what is held was granted');
  const { reason } = event.metadata;
  return { grantedAt: event.recordedAt, ...(reason !== undefined && { reason }) };
}
