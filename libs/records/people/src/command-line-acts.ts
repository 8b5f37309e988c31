import { type Database, type Queryable } from '#infra/postgres';

/** An act of a person on a command line, for the security log (PEO-60). */
export interface CommandLineAct {
  readonly event:
    | 'signed_in'
    | 'signed_out'
    | 'session_ended'
    | 'presence_proved'
    | 'presence_not_proved'
    | 'refused';
  /** As events name people. */
  readonly personId: string;
  /** The command's words, without arguments. */
  readonly command: string;
  /** `user@host` of the command line. */
  readonly machine: string;
}

/** An act with its time. */
export interface NotedAct extends CommandLineAct {
  readonly actedAt: Date;
}

const insertAct = `
  insert into records.command_line_acts (event, person, command, machine) values ($1, $2, $3, $4)`;
const takeActs = `
  delete from records.command_line_acts where id in (
    select id from records.command_line_acts order by id limit $1 for update skip locked)
  returning id, acted_at as "actedAt", event, person as "personId", command, machine`;
/** Maximum number of lines written at once. */
const maxTaken = 100;

/** Notes an act for the worker's security log. @throws DependencyUnavailable */
export async function noteAct(
  database: Queryable,
  { event, personId, command, machine }: CommandLineAct,
): Promise<void> {
  await database.query(insertAct, [event, personId, command, machine]);
}

/**
 * Passes each noted act to `tell`, oldest first, and deletes it. If the process dies in between, a later call passes the
 * act again.
 * @throws DependencyUnavailable
 */
export async function tellActs(
  database: Database,
  tell: (act: NotedAct) => void,
): Promise<'idle' | 'busy'> {
  const told = await database.transaction(async (transaction) => {
    const acts = await transaction.query<NotedAct & { readonly id: string }>(takeActs, [maxTaken]);
    const inOrder = acts.toSorted((one, other) => Number(one.id) - Number(other.id));
    for (const { id: _id, ...act } of inOrder) tell(act);
    return acts.length;
  });
  return told < maxTaken ? 'idle' : 'busy';
}
