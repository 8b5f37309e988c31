import { isIP, isIPv4 } from 'node:net';
import { type FastifyRequest } from 'fastify';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/**
 * Returns the caller's address: the socket's peer or, if that is a trusted proxy, the right-most address of
 * X-Forwarded-For that is not one. Fastify finds it (its `trustProxy` list), but returns any text unchanged. Here a
 * text that is no address becomes undefined, and IPv4-mapped IPv6 becomes IPv4.
 */
export function callerAddress(request: FastifyRequest): string | undefined {
  return plainAddress(request.ip);
}

/** @returns the address in plain IPv4 or IPv6, without a zone; undefined if the text is no address */
export function plainAddress(text: string): string | undefined {
  const address = text.split('%', 1)[0] ?? '';
  const family = isIP(address);
  if (family === 0) return undefined;
  return family === 6 ? unmapped(address) : address;
}

/** The prefix that a socket gives an IPv4 peer's address. */
const mapped = '::ffff:';

/**
 * Returns the IPv4 address in a mapped one. The URL parser writes every spelling of an IPv6 address in one way, and a
 * mapped one with two hexadecimal groups.
 */
function unmapped(address: string): string {
  const plain = address.startsWith(mapped) ? address.slice(mapped.length) : '';
  if (isIPv4(plain)) return plain;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!groups) return canonical;
  const [high, low] = [parseInt(groups[1] ?? '', 16), parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns the source that a limit applies to: an IPv4 address, or the /64 of an IPv6 one, since a subscriber has all
 * its addresses.
 * @param address as `callerAddress` gives it
 */
export function sourceOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...(tail === undefined ? [] : zeros), ...last].slice(0, 4).join(':');
}

/** The caller of a request: a credential and its proof (EVT-24). */
export interface ProvedCaller {
  readonly credential: { readonly credentialId: string; readonly holder: string };
  readonly requestId: string;
  readonly evidence: object;
  /** The trace of the request, if it is recorded. */
  readonly traceparent?: string | undefined;
}

interface Callers<Caller> {
  /** Called by the guard. */
  readonly rememberCaller: (request: FastifyRequest, caller: Caller) => void;
  /** Passes the caller of its request to a controller. */
  readonly ByCaller: () => ParameterDecorator;
}

/** Stores the caller of each request, for one version of the API. */
export function callersOf<Caller extends ProvedCaller>(): Callers<Caller> {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    rememberCaller: (request, caller) => {
      callers.set(request, caller);
    },
    ByCaller: createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
      const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
      if (!caller) throw new TypeError('a route asks for its caller but is not authenticated');
      return caller;
    }),
  };
}
