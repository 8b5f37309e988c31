import { EndSessions, type EndSessionsRefusal, personId, personOf } from '#domain/people';
import { type OpenSession, Sessions } from '#records/people';
import { CommandBus } from '@nestjs/cqrs';
import { Command, InvalidArgumentError } from 'commander';
import { withApp } from '../app.js';
import { noteIn } from '../identity.js';
import { change, type ChangeOptions, operatorMetadata } from '../operator.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { table } from '../table.js';
import { plainCommand } from './plain-command.js';
import { parsePerson } from './role/role-options.js';

interface Scope {
  readonly person: string;
  readonly json?: true;
}

const list = plainCommand(
  'list',
  'lists the sessions of a person, in browsers and on command lines',
  'session list --person https://id.example#00u1',
)
  .requiredOption('--person <issuer#subject>', 'the person', parsePerson)
  .action(async ({ person, json }: Scope) => {
    const sessions = await withApp((app) => app.get(Sessions).openOf(personNamed(person)));
    if (json) printJson({ sessions: sessions.map(sessionJson) });
    else if (sessions.length === 0) printLines(['the person is signed in nowhere']);
    else printLines(table(headings, sessions.map(rowOf)));
  });

const headings = ['where', 'signed in', 'last used', 'ends', 'id'];

function rowOf({ kind, openedAt, lastUsedAt, endsAt, hash }: OpenSession): readonly string[] {
  const times = [openedAt, lastUsedAt, endsAt].map((at) => at.toISOString());
  return [kind.replace('_', ' '), ...times, hash.toString('hex')];
}

function sessionJson({ kind, openedAt, lastUsedAt, endsAt, hash }: OpenSession): object {
  return {
    id: hash.toString('hex'),
    kind,
    opened_at: openedAt.toISOString(),
    last_used_at: lastUsedAt.toISOString(),
    ends_at: endsAt.toISOString(),
  };
}

interface EndOptions extends ChangeOptions, Scope {
  readonly session?: Buffer;
}

const end = change(
  'end',
  'ends one session of a person, or all of them',
  'session end --person https://id.example#00u1 --reason "laptop stolen"',
)
  .requiredOption('--person <issuer#subject>', 'the person', parsePerson)
  .option('--session <id>', 'this one alone, as session list names it', parseSession)
  .action(async ({ person, session, ...options }: EndOptions) => {
    const { as, json } = options;
    const whose = personId(personNamed(person));
    const by = personOf(as);
    await withApp(async (app) => {
      const command = new EndSessions(whose, session ?? 'all', operatorMetadata(options));
      const done = await app.get(CommandBus).execute(command);
      if (!done.ok) throw new Refused([explain[done.refusal]]);
      if (by) await noteIn(app, 'session_ended', { person: by, command: 'session end' });
    });
    if (json) printJson({});
    else printLines(['done']);
  });

const explain: Readonly<Record<EndSessionsRefusal, string>> = {
  new_admin_announced:
    'a new admin is announced, which this admin may still stop: until that is over, only they end their sessions',
};

function parseSession(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new InvalidArgumentError('must be an id as session list prints it');
  return Buffer.from(text, 'hex');
}

function personNamed(id: string) {
  const person = personOf(id);
  if (!person) throw new Refused([`${id} names no person`]);
  return person;
}

/** The sessions of any person. People see their own in the portal. */
export const session = new Command('session')
  .description('people’s sessions')
  .addCommand(list)
  .addCommand(end);
