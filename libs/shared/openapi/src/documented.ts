import 'reflect-metadata';
import { type HttpError } from '#shared/http';
import { type z } from 'zod';
import { type JsonSchema } from './json-schema.js';

/** A parameter of the path. */
export interface ParameterWords {
  readonly description: string;
  readonly example: string;
  readonly schema: JsonSchema;
}

/** A route's own documentation. Its method, path, status, body and query are read from Nest's metadata. */
export interface RouteWords {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The path's parameters, by name. */
  readonly path?: Readonly<Record<string, ParameterWords>>;
  /** The body, if it is a form (application/x-www-form-urlencoded). */
  readonly form?: z.ZodObject;
  readonly answer: {
    readonly description: string;
    readonly shape: z.ZodType;
    readonly example: JsonSchema;
    /** Maps a header to how often the answers have it. */
    readonly headers?: Readonly<Record<string, 'always' | 'sometimes'>>;
  };
  /** True if X-PP-At-Position may ask for an answer as of a position. */
  readonly asOf?: boolean;
  /** Its refusals beyond authentication and its fields. */
  readonly refusals: readonly HttpError[];
}

const documented = 'pesapost:openapi:documented';

export function Documented(words: RouteWords): MethodDecorator {
  return (_prototype, _name, descriptor) => {
    Reflect.defineMetadata(documented, words, descriptor.value as object);
  };
}

/** Returns undefined for a route that is not public. */
export function routeWordsOf(handler: object): RouteWords | undefined {
  return Reflect.getMetadata(documented, handler) as RouteWords | undefined;
}
