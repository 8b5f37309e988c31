import { EventStore } from '#domain/event-sourcing';
import { Clock, instantFromMs } from '#domain/kernel';
import {
  type OpenRoleProposal,
  RoleProposals,
  RolesInLog,
  type RoleSince,
  type RolesMoment,
} from '#domain/people';
import { projectedPrefixes } from '#views/view-set';
import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { section, table } from '../../table.js';
import { look } from '../look.js';

export const list = look(
  'list',
  'who has which role, now or as of a moment, and what waits for another admin',
  'role list --at 2026-11-20T17:00:00Z',
)
  .option('--at <when>', 'an instant with its zone, or a position of the log', parseMoment, 'now')
  .action(async ({ at, json }: { readonly at: RolesMoment; readonly json?: true }) => {
    const { roles, proposals } = await withApp(async (app) => {
      await requirePast(app, at);
      return {
        roles: await new RolesInLog(app.get(EventStore), () => performance.now()).rolesAt(at),
        proposals: at === 'now' ? await app.get(RoleProposals).listOpen() : [],
      };
    });
    if (json) printJson({ roles: roles.map(roleJson), proposals: proposals.map(proposalJson) });
    else printLines(linesOf(roles, proposals));
  });

/** Nobody can say who will have a role. @throws Refused */
async function requirePast(app: INestApplicationContext, at: RolesMoment): Promise<void> {
  if (at === 'now') return;
  if ('instant' in at) {
    if (at.instant > app.get<Clock>(Clock).now())
      throw new Refused([`--at: ${at.instant} is in the future`]);
    return;
  }
  const end = await app.get<EventStore>(EventStore).head(projectedPrefixes);
  if (at.position > end)
    throw new Refused([`--at: position ${at.position} is beyond the log’s end, ${end}`]);
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
    granted_at: each.grantedAt,
    proposed_by: each.proposedBy,
    confirmed_by: each.confirmedBy ?? null,
  };
}

function proposalJson({ id, terms, ...each }: OpenRoleProposal): object {
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

function linesOf(
  roles: readonly RoleSince[],
  proposals: readonly OpenRoleProposal[],
): readonly string[] {
  const rows = roles.map((each) => [
    ...[each.name, each.role, each.merchantId ?? 'platform', each.grantedAt, each.proposedBy],
    ...[each.confirmedBy ?? '', each.person],
  ]);
  const headings = ['name', 'role', 'where', 'since', 'granted by', 'and by', 'person'];
  const waiting = proposals.map(({ id, terms, endsAt, proposedBy }) => [
    ...[terms.name, terms.role, terms.merchantId ?? 'platform', endsAt, proposedBy, id],
  ]);
  const ofWaiting = ['name', 'role', 'where', 'ends', 'proposed by', 'id'];
  return [
    ...(rows.length === 0 ? ['nobody has a role'] : table(headings, rows)),
    ...section('waiting for another admin', waiting.length === 0 ? [] : table(ofWaiting, waiting)),
  ];
}
