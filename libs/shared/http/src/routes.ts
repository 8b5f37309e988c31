import {
  applyDecorators,
  type CanActivate,
  type INestApplicationContext,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants';
import { ModulesContainer } from '@nestjs/core';
import { type FastifyInstance } from 'fastify';

const authentication = 'pesapost:authentication';

/**
 * Makes an edge's authentication decorator, for a controller or one of its routes. It adds the guard, and marks the
 * route as authenticated.
 */
export function authenticatedBy(guard: Type<CanActivate>): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(authentication, guard.name), UseGuards(guard));
}

/** Marks a route that anyone may call. @param why the reason, for people who read the route */
export function WithoutAuthentication(why: string): ClassDecorator & MethodDecorator {
  return SetMetadata(authentication, why);
}

/** Returns how a route or its controller is authenticated: the guard's name, or the reason why there is none. */
export function authenticationOf(handler: object, controller: object): string | undefined {
  const [own, whole] = [handler, controller].map(
    (of) => Reflect.getMetadata(authentication, of) as string | undefined,
  );
  return own ?? whole;
}

/** @throws Error that names each route without an authentication decorator; called before the application starts */
export function assertRoutesClosed(app: INestApplicationContext): void {
  const open = [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype }) => (typeof metatype === 'function' ? openRoutes(metatype) : []));
  if (open.length > 0)
    throw new Error(
      `routes without an authentication decorator: ${open.join(', ')}; ` +
        'give each one, or WithoutAuthentication and the reason',
    );
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- what Nest calls a controller's class
function openRoutes(controller: Function): string[] {
  if (Reflect.getMetadata(authentication, controller) !== undefined) return [];
  const prototype = controller.prototype as object;
  return methodNames(prototype)
    .filter((name) => {
      const handler: unknown = Reflect.get(prototype, name);
      return (
        typeof handler === 'function' &&
        Reflect.hasMetadata(METHOD_METADATA, handler) &&
        !Reflect.hasMetadata(authentication, handler)
      );
    })
    .map((name) => `${controller.name}.${name}`);
}

/** Inherited routes count, because Nest serves them too. */
function methodNames(prototype: object | null): string[] {
  if (prototype === null || prototype === Object.prototype) return [];
  const above = methodNames(Object.getPrototypeOf(prototype) as object | null);
  return [...new Set([...Object.getOwnPropertyNames(prototype), ...above])].filter(
    (name) => name !== 'constructor',
  );
}

/**
 * The methods of each path. Fastify answers both an unknown route and a wrong method with 404; this table tells them
 * apart.
 */
export class RouteTable {
  readonly #routes = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();

  /** Records every route that is registered from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      this.add(url, Array.isArray(method) ? method : [method]);
    });
  }

  add(pattern: string, methods: readonly string[]): void {
    const known = this.#routes.get(pattern);
    for (const method of methods) known?.methods.add(method);
    if (known) return;
    this.#routes.set(pattern, { matches: toRegExp(pattern), methods: new Set(methods) });
  }

  /** @returns the methods of the path, sorted; empty if no route has it */
  allowed(path: string): string[] {
    const found = [...this.#routes.values()].filter(({ matches }) => matches.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** Returns the pattern of a route: `/a/:b` matches every path of two segments that begins with `a`. */
function toRegExp(pattern: string): RegExp {
  const segments = pattern
    .split('/')
    .map((segment) =>
      segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${segments.join('/')}$`);
}
