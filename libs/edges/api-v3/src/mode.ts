import { type RawQuery } from '#shared/http';
import { type Mode } from '#domain/kernel';
import { problem } from './errors.js';
import { type Members } from './members.js';

const wrong = { detail: 'live must be 1 or 0.' };

/** `?live=0|1`; 1 where it is not there. Other parameters are ignored. @throws Problem invalid_request */
export function modeOfQuery(query: RawQuery): Mode {
  const parameters = query.parameters();
  if (!parameters.ok)
    throw problem('invalid_request', { detail: 'The query is not percent-encoded UTF-8.' });
  const flags = parameters.value.filter(([name]) => name === 'live').map(([, value]) => value);
  if (flags.length > 1) throw problem('invalid_request', { detail: 'live must be given once.' });
  return modeOf(flags[0] ?? '1');
}

/** The body's `live`, a number or a text; 1 where it is not there. @throws Problem invalid_request */
export function modeOfMembers(members: Members): Mode {
  const live = members.get('live');
  if (live === undefined) return 'live';
  return modeOf(live.kind === 'text' || live.kind === 'number' ? live.text : '');
}

function modeOf(flag: string): Mode {
  if (flag !== '0' && flag !== '1') throw problem('invalid_request', wrong);
  return flag === '1' ? 'live' : 'demo';
}
