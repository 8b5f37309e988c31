import {
  DecideProposal,
  type DecidedProposal,
  type DecideProposalRefusal,
} from '#domain/proposals';
import { CommandBus } from '@nestjs/cqrs';
import { type Command } from 'commander';
import { withApp } from '../../app.js';
import { operatorMetadata, show, whoOption } from '../../operator.js';
import { parseForEver } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { roleRefusals } from '../role/role-options.js';

interface DecideOptions {
  readonly as: string;
  readonly isSignedIn?: true;
  readonly reason?: string;
  readonly json?: true;
}

const descriptions = {
  confirm:
    'confirms exactly what another admin proposed; safe to repeat. A new secret is shown only once',
  decline: 'declines a proposal, or withdraws your own',
} as const;

/** The commands that decide proposals. A group lists the proposals that its people look for. */
export function decidingCommands(group: 'pending' | 'role'): readonly [Command, Command] {
  return [deciding(group, 'confirm'), deciding(group, 'decline')];
}

function deciding(group: 'pending' | 'role', verdict: 'confirm' | 'decline'): Command {
  const example = `${group} ${verdict} 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e`;
  return plainCommand(verdict, descriptions[verdict], example)
    .argument('<ids...>', `the proposals’ ids: npx pesapost ${group} list`)
    .addOption(whoOption())
    .option('--reason <text>', 'why; the proposer’s if none is given', parseForEver)
    .action(async (ids: readonly string[], options: DecideOptions) => {
      const done = await withApp(async (app) => {
        const decided: DecidedProposal[] = [];
        for (const id of ids) {
          const command = new DecideProposal(id, verdict, operatorMetadata(options));
          const result = await app.get(CommandBus).execute(command);
          if (!result.ok) throw new Refused([`${id}: ${explain(result.refusal)}`]);
          // Each result is shown at once: the next may be refused, and a secret is shown only here.
          if (result.value.value) show(result.value.value, options);
          decided.push(result.value);
        }
        return decided;
      });
      if (done.some(({ value }) => value !== undefined)) return;
      if (options.json) printJson(verdict === 'confirm' ? { confirmed: ids } : { declined: ids });
      else printLines(['done']);
    });
}

function explain(refusal: DecideProposalRefusal): string {
  if (!isOfSubject(refusal)) return words[refusal];
  const code = refusal.slice('refused:'.length);
  const ofRoles: Readonly<Record<string, string>> = roleRefusals;
  return ofRoles[code] ?? `it cannot be carried out (${code}): decline it, and propose it again`;
}

type OfSubject = Extract<DecideProposalRefusal, `refused:${string}`>;

function isOfSubject(refusal: DecideProposalRefusal): refusal is OfSubject {
  return refusal.startsWith('refused:');
}

const words = {
  no_proposal: 'no such proposal waits; after 24 h none does: npx pesapost pending list',
  taken: 'another admin is confirming it',
  not_admin: 'only an admin decides: npx pesapost role list',
  same_admin: 'you proposed it: another admin confirms',
  proposer_not_admin:
    'the proposer is no longer an admin, or may be you under a former issuer: propose it again',
  changed: 'the value that it replaces has changed since: decline it, and propose it again',
} as const satisfies Record<Exclude<DecideProposalRefusal, OfSubject>, string>;
