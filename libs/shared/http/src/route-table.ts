import { type FastifyInstance } from 'fastify';

/** Which methods a path knows, so that an unknown route can be told from a wrong method: Fastify answers 404 to both. */
export class RouteTable {
  readonly #routes = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();

  /** Notes every route that is registered from now on. */
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

  /** @returns the methods that the path knows, sorted; empty where no route has it */
  allowed(path: string): string[] {
    const found = [...this.#routes.values()].filter(({ matches }) => matches.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** `/a/:b` → every path of two segments that begins with `a`. */
function toRegExp(pattern: string): RegExp {
  const segments = pattern
    .split('/')
    .map((segment) =>
      segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${segments.join('/')}$`);
}
