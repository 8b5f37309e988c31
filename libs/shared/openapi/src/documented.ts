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

/** What a route says of itself; method, path, status, body and query are read from where Nest keeps them. */
export interface RouteWords {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Of the path, by name. */
  readonly path?: Readonly<Record<string, ParameterWords>>;
  /** The body, where it is a form (application/x-www-form-urlencoded). */
  readonly form?: z.ZodObject;
  readonly answer: {
    readonly description: string;
    readonly shape: z.ZodType;
    readonly example: JsonSchema;
    /** Header → whether every such answer has it. */
    readonly headers?: Readonly<Record<string, 'always' | 'sometimes'>>;
  };
  /** Whether it answers as of a position, where X-PP-At-Position names one. */
  readonly asOf?: boolean;
  /** How it can refuse, beyond authentication and its fields. */
  readonly refusals: readonly HttpError[];
}

const documented = 'pesapost:openapi:documented';

export function Documented(words: RouteWords): MethodDecorator {
  return (_prototype, _name, descriptor) => {
    Reflect.defineMetadata(documented, words, descriptor.value as object);
  };
}

/** undefined for a route that nobody outside is told of */
export function routeWordsOf(handler: object): RouteWords | undefined {
  return Reflect.getMetadata(documented, handler) as RouteWords | undefined;
}
