import { readFileSync } from 'node:fs';
import { grantRole, type GrantRoleRefusal, type RoleTerms } from '#domain/people';
import { Propose, type Proposed, type ProposeRefusal } from '#domain/proposals';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { withApp } from '../../app.js';
import { type ChangeOptions, change, operatorMetadata, unknownMerchant } from '../../operator.js';
import { parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { proposeRefusals } from '../../propose.js';
import { Refused } from '../../refused.js';
import { heldRoleOf, parseOwnPerson, roleRefusals } from './role-options.js';

interface GrantOptions extends ChangeOptions {
  readonly person?: string;
  readonly name?: string;
  readonly role?: string;
  readonly merchant?: string;
  readonly file?: readonly RoleTerms[];
}

export const grant = change(
  'grant',
  'grants a role, or proposes one that takes two admins (finance, support, admin, owner)',
  'role grant --person https://id.example#00u1 --name "Amina Y" --role viewer --reason "on call"',
)
  .option('--person <issuer#subject>', 'the person who gets it', parseOwnPerson)
  .option('--name <name>', 'the person’s name', parseForEver)
  .option(
    '--role <role>',
    'viewer, support, finance, admin, auditor; at a merchant developer, finance, owner',
  )
  .option('--merchant <id>', 'the role’s merchant; without it, a role of the platform')
  .option(
    '--file <file>',
    'several roles in one file: a JSON list of {person, name, role, merchant_id?}',
    listedIn,
  )
  .action(async (options: GrantOptions) => {
    const wanted = options.file ?? [one(options)];
    const metadata = { ...operatorMetadata(options), reason: options.reason };
    const done = await withApp(async (app) => {
      const results = [];
      for (const terms of wanted) {
        const result = await app.get(CommandBus).execute(new Propose(grantRole, terms, metadata));
        if (!result.ok) throw new Refused([explain(result.refusal, terms)]);
        results.push({ terms, granted: result.value });
      }
      return results;
    });
    if (options.json) printJson({ roles: done.map(jsonOf) });
    else printLines(done.map(lineOf));
  });

interface Done {
  readonly terms: RoleTerms;
  readonly granted: Proposed<undefined>;
}

function one({ person, name, role, merchant }: GrantOptions): RoleTerms {
  if (person === undefined || name === undefined || role === undefined)
    throw new Refused(['say whose role and which: --person, --name and --role, or --file']);
  return { ...heldRoleOf({ role, ...(merchant === undefined ? {} : { merchant }) }), person, name };
}

const fileShape = z
  .array(
    z.strictObject({
      person: z.string(),
      name: z.string(),
      role: z.string(),
      merchant_id: z.string().optional(),
    }),
  )
  .max(500);

/**
 * Reads the file before a proof of presence is asked for.
 * @throws Refused if a part of the file is wrong; then nothing is granted
 */
function listedIn(file: string): readonly RoleTerms[] {
  try {
    const people = fileShape.parse(JSON.parse(readFileSync(file, 'utf8')));
    return people.map(({ person, name, role, merchant_id: merchant }) => ({
      ...heldRoleOf({ role, ...(merchant === undefined ? {} : { merchant }) }),
      person: parseOwnPerson(person),
      name: parseForEver(name),
    }));
  } catch (error) {
    const why = error instanceof Refused ? error.lines : [`${file} is no such list`];
    throw new Refused(why);
  }
}

function jsonOf({ terms, granted }: Done): object {
  const { person, name, role, merchantId } = terms;
  return {
    person,
    name,
    role,
    merchant_id: merchantId ?? null,
    status: granted.kind === 'done' ? 'granted' : granted.kind,
    ...(granted.kind === 'proposed' && {
      proposal_id: granted.proposal.id,
      ends_at: granted.proposal.endsAt,
    }),
  };
}

function lineOf({ terms: { name, role, merchantId }, granted }: Done): string {
  const what = `${role}${merchantId === undefined ? '' : ` at ${merchantId}`}`;
  if (granted.kind === 'done') return `${name} is ${what}`;
  const { id, endsAt } = granted.proposal;
  return `${name} is ${what} when another admin agrees, until ${endsAt}: npx pesapost role confirm ${id}`;
}

function explain(
  refusal: GrantRoleRefusal | ProposeRefusal,
  { merchantId = '', name }: RoleTerms,
): string {
  const texts = {
    ...proposeRefusals,
    ...roleRefusals,
    own_role: `${name}: ${roleRefusals.own_role}`,
    unknown_merchant: unknownMerchant(merchantId),
    proposer_not_admin: roleRefusals.not_admin,
    second_admin_needed: 'another admin must agree',
    same_admin: 'another admin must agree',
  } as const satisfies Record<GrantRoleRefusal | ProposeRefusal, string>;
  return texts[refusal];
}
