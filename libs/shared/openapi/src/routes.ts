import { RequestMethod, type Type } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type RouteWords, routeWordsOf } from './documented.js';
import { type DtoClass } from './schema-of-dto.js';

/** A route as Nest serves it, with its own documentation. */
export interface Route {
  /** Lower case, as OpenAPI spells it. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** The status of an answer that is no error. */
  readonly status: number;
  readonly controller: object;
  readonly handler: object;
  readonly words: RouteWords;
  readonly body: DtoClass | undefined;
  readonly query: DtoClass | undefined;
}

/** A pipe, or its class, that names the DTO it makes. */
interface DtoPipe {
  readonly dto: DtoClass;
}

/** @throws TypeError for a route of these controllers without documentation */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap((controller) => {
    const prototype = controller.prototype as object;
    return Object.getOwnPropertyNames(prototype).flatMap((name) => {
      const handler: unknown = Reflect.get(prototype, name);
      return typeof handler === 'function' && Reflect.hasMetadata(METHOD_METADATA, handler)
        ? [routeOf(controller, name, handler)]
        : [];
    });
  });
}

function routeOf(controller: Type, name: string, handler: object): Route {
  const words = routeWordsOf(handler);
  if (!words) throw new TypeError(`${controller.name}.${name} is not documented`);
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const status = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return {
    method: method.toLowerCase(),
    path: pathOf(controller, handler),
    status: status ?? (method === 'POST' ? 201 : 200),
    controller,
    handler,
    words,
    body: dtoOf(controller, name, RouteParamtypes.BODY),
    query: dtoOf(controller, name, RouteParamtypes.QUERY),
  };
}

function pathOf(controller: object, handler: object): string {
  const parts = [controller, handler].map((of) => String(Reflect.getMetadata(PATH_METADATA, of)));
  const path = parts.flatMap((part) => part.split('/')).filter((segment) => segment !== '');
  return `/${path.map((segment) => segment.replace(/^:(.*)$/, '{$1}')).join('/')}`;
}

/** Returns the DTO that a pipe of the handler's parameter of this kind makes. */
function dtoOf(controller: object, name: string, kind: RouteParamtypes): DtoClass | undefined {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    { readonly pipes: readonly object[] }
  >;
  const [pipe] = parameters[`${kind}:${indexOf(parameters, kind)}`]?.pipes ?? [];
  return pipe && 'dto' in pipe ? (pipe as DtoPipe).dto : undefined;
}

/** True if a handler reads the query: it has a parameter that Nest fills from it. */
export function readsQuery(controller: object, name: string): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as
    object | undefined;
  return parameters !== undefined && indexOf(parameters, RouteParamtypes.QUERY) !== '';
}

/** Nest's keys are `<kind>:<index of the parameter>`. */
function indexOf(parameters: object, kind: RouteParamtypes): string {
  const key = Object.keys(parameters).find((candidate) => candidate.startsWith(`${kind}:`));
  return key?.split(':')[1] ?? '';
}
