import { DecideRoleProposal, type RoleProposalRefusal } from '#domain/people';
import { CommandBus } from '@nestjs/cqrs';
import { type Command } from 'commander';
import { withApp } from '../../app.js';
import { operatorMetadata, whoOption } from '../../operator.js';
import { parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { roleRefusals } from './role-options.js';

interface DecideOptions {
  readonly as: string;
  readonly isSignedIn?: true;
  readonly reason?: string;
  readonly json?: true;
}

export const confirm = deciding(
  'confirm',
  'confirms roles that another admin proposed; safe to repeat',
);

export const decline = deciding('decline', 'declines roles that are proposed, one’s own too');

function deciding(verdict: 'confirm' | 'decline', description: string): Command {
  return plainCommand(verdict, description, `role ${verdict} 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e`)
    .argument('<ids...>', 'the proposals’ ids: npx pesapost role list')
    .addOption(whoOption())
    .option('--reason <text>', 'why; without it, the proposer’s reason is used', parseForEver)
    .action(async (ids: readonly string[], options: DecideOptions) => {
      await withApp(async (app) => {
        for (const id of ids) {
          const command = new DecideRoleProposal(id, verdict, operatorMetadata(options));
          const result = await app.get(CommandBus).execute(command);
          if (!result.ok) throw new Refused([`${id}: ${explain[result.refusal]}`]);
        }
      });
      if (options.json) printJson(verdict === 'confirm' ? { confirmed: ids } : { declined: ids });
      else printLines(['done']);
    });
}

const explain = {
  ...roleRefusals,
  no_proposal: 'no such proposal waits; after 24 h none does: npx pesapost role list',
  same_admin: 'you proposed it: another admin confirms',
  second_admin_needed: 'another admin must agree',
  proposer_not_admin:
    'the proposer is no longer an admin, or a former issuer named them: propose it again',
} as const satisfies Record<RoleProposalRefusal, string>;
