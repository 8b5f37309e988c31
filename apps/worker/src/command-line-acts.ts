import { tellActs } from '#records/people';
import { type Database } from '#infra/postgres';
import { type Logger } from '#infra/runtime';

/**
 * Writes the acts of people on command lines to the security log, which a command line cannot write itself (PEO-60). A
 * refusal has level `warn`, like a refused request.
 * @throws DependencyUnavailable
 */
export function logCommandLineActs(database: Database, logger: Logger): Promise<'idle' | 'busy'> {
  const security = logger.child({ log: 'security' });
  return tellActs(database, ({ event, ...act }) => {
    if (event === 'refused')
      security.warn({ ...act, code: 'command_refused' }, 'a command was refused');
    else security.info({ ...act, event }, 'a person acted');
  });
}
