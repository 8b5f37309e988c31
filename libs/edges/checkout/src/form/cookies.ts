import { type FastifyRequest } from 'fastify';

/** Returns the values of all cookies with the name; @fastify/cookie returns the first, whatever it is. */
export function cookiesOf({ headers }: FastifyRequest, name: string): string[] {
  const prefix = `${name}=`;
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}
