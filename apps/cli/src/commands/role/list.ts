import { EventStore } from '#domain/event-sourcing';
import { Clock, instantFromMs } from '#domain/kernel';
import {
  type BreakGlass,
  listRoleProposals,
  type RoleProposal,
  RolesInLog,
  type RoleSince,
  type RolesMoment,
} from '#domain/people';
import { Proposals } from '#domain/proposals';
import { projectedPrefixes } from '#views/view-set';
import { InvalidArgumentError } from 'commander';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { section, table } from '../../table.js';
import { plainCommand } from '../plain-command.js';

export const list = plainCommand(
  'list',
  'lists people’s roles, now or at an earlier time, and proposals that wait for another admin',
  'role list --at 2026-11-20T17:00:00Z',
)
  .option('--at <when>', 'an instant with its zone, or a position of the log', parseMoment, 'now')
  .action(async ({ at, json }: { readonly at: RolesMoment; readonly json?: true }) => {
    const listed = await withApp(async (app): Promise<Listed> => {
      await requirePast({ clock: app.get<Clock>(Clock), store: app.get(EventStore) }, at);
      const inLog = new RolesInLog(app.get(EventStore), () => performance.now());
      const isNow = at === 'now';
      return {
        roles: await inLog.rolesAt(at),
        proposals: isNow ? await listRoleProposals(app.get(Proposals)) : [],
        breakGlass: isNow ? await inLog.breakGlass() : undefined,
      };
    });
    if (json) printJson(jsonOf(listed));
    else printLines(linesOf(listed));
  });

/**
 * Refuses a moment in the future: no one can know who will have a role.
 * @throws Refused
 */
export async function requirePast(
  { clock, store }: { readonly clock: Clock; readonly store: Pick<EventStore, 'head'> },
  at: RolesMoment,
): Promise<void> {
  if (at === 'now') return;
  if ('instant' in at) {
    if (at.instant > clock.now()) throw new Refused([`--at: ${at.instant} is in the future`]);
    return;
  }
  const end = await store.head(projectedPrefixes);
  if (at.position > end)
    throw new Refused([`--at: position ${at.position} is beyond the log’s end, ${end}`]);
}

interface Listed {
  readonly roles: readonly RoleSince[];
  readonly proposals: readonly RoleProposal[];
  readonly breakGlass: BreakGlass | undefined;
}

function jsonOf({ roles, proposals, breakGlass }: Listed): object {
  return {
    roles: roles.map(roleJson),
    proposals: proposals.map(proposalJson),
    break_glass: breakGlass
      ? {
          person: breakGlass.person,
          name: breakGlass.name,
          proposed_by: breakGlass.proposedBy,
          announced_at: breakGlass.announcedAt,
          takes_effect_at: breakGlass.takesEffectAt,
        }
      : null,
  };
}

function parseMoment(text: string): RolesMoment {
  if (/^(0|[1-9]\d{0,17})$/.test(text)) return { position: BigInt(text) };
  const ms = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('must be an instant, as 2026-11-20T17:00:00Z, or a position');
  return { instant: instantFromMs(ms) };
}

function roleJson(each: RoleSince): object {
  return {
    person: each.person,
    name: each.name,
    role: each.role,
    merchant_id: each.merchantId ?? null,
    suspended: each.isSuspended,
    granted_at: each.grantedAt,
    proposed_by: each.proposedBy,
    confirmed_by: each.confirmedBy ?? null,
  };
}

function proposalJson({ id, terms, ...each }: RoleProposal): object {
  return {
    id,
    person: terms.person,
    name: terms.name,
    role: terms.role,
    merchant_id: terms.merchantId ?? null,
    reason: each.reason,
    proposed_by: each.proposedBy,
    proposed_at: each.proposedAt,
    ends_at: each.endsAt,
  };
}

function linesOf({ roles, proposals, breakGlass }: Listed): readonly string[] {
  const rows = roles.map((each) => [
    ...[each.name, each.isSuspended ? `${each.role} (suspended)` : each.role],
    ...[each.merchantId ?? 'platform', each.grantedAt, each.proposedBy],
    ...[each.confirmedBy ?? '', each.person],
  ]);
  const headings = ['name', 'role', 'where', 'since', 'granted by', 'and by', 'person'];
  const waiting = proposals.map(({ id, terms, endsAt, proposedBy }) => [
    ...[terms.name, terms.role, terms.merchantId ?? 'platform', endsAt, proposedBy, id],
  ]);
  const ofWaiting = ['name', 'role', 'where', 'ends', 'proposed by', 'id'];
  return [
    ...(rows.length === 0 ? ['no one has a role'] : table(headings, rows)),
    ...(breakGlass ? section('a new admin is announced', announcementLines(breakGlass)) : []),
    ...section('waiting for another admin', waiting.length === 0 ? [] : table(ofWaiting, waiting)),
  ];
}

function announcementLines({
  name,
  person,
  proposedBy,
  takesEffectAt,
}: BreakGlass): readonly string[] {
  return [
    `${name} (${person}) becomes an admin at ${takesEffectAt}, as ${proposedBy} announced`,
    'any admin, suspended or not, stops it: npx pesapost role break-glass stop',
  ];
}
