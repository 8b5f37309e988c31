import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Memory } from './memory.js';
import { jsonOf } from './requests.js';
import type { Settings } from './settings.js';
import { type PortalSettings, ways, type Ways } from './ways.js';

const defaults = Object.fromEntries(
  Object.entries(ways).map(([name, [first]]) => [name, first]),
) as Ways;

/** The portal's settings of the merchant, and the ways in which the simulator answers. */
export class Portal {
  constructor(
    private readonly settings: Pick<Settings, 'callbackUrl' | 'callbackHash'>,
    private readonly memory: Memory,
  ) {}

  get ways(): Ways {
    return { ...defaults, callback_hash: this.settings.callbackHash, ...this.memory.portal };
  }

  /** The one address of all callbacks; undefined if there is none. */
  get callbackUrl(): string | undefined {
    return this.memory.portal.callback_url ?? this.settings.callbackUrl;
  }

  readonly show = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.send({ ...this.ways, callback_url: this.callbackUrl ?? null });

  /** Changes the members that the body names. The address null stands for the setting's. */
  readonly change = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wanted = jsonOf(request);
    const wrong = Object.entries(wanted).find(([name, value]) => !isAllowed(name, value));
    if (wrong) return reply.code(400).send({ error: `${wrong[0]} has no such value` });
    const { callback_url: url, ...rest } = { ...this.memory.portal, ...wanted };
    await this.memory.setPortal({
      ...(rest as PortalSettings),
      ...(typeof url === 'string' && { callback_url: url }),
    });
    return this.show(request, reply);
  };
}

function isAllowed(name: string, value: unknown): boolean {
  if (name === 'callback_url')
    return value === null || (typeof value === 'string' && /^https?:\/\/\S+$/.test(value));
  return Object.hasOwn(ways, name) && ways[name as keyof Ways].some((way) => way === value);
}
