import type { FastifyRequest } from 'fastify';

export type Json = Readonly<Record<string, unknown>>;

/** Returns the bytes of the body, as they were sent. */
export function bytesOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Returns the object in the body; an empty one if the body is no JSON object. */
export function jsonOf(request: FastifyRequest): Json {
  try {
    return memberOf({ body: JSON.parse(bytesOf(request).toString('utf8')) as unknown }, 'body');
  } catch {
    return {};
  }
}

/** Returns the object that is a member; an empty one if the member is none. */
export function memberOf(json: Json, name: string): Json {
  const member = json[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member)
    ? (member as Json)
    : {};
}

/** Returns a parameter of the query. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Json)[name];
  return typeof value === 'string' ? value : undefined;
}
