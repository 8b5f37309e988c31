import { fastify } from 'fastify';
import { type Registry } from 'prom-client';
import { isError } from './logger.js';
import { withDeadline } from './deadline.js';

/**
 * Resolves if the dependency answers; the result is shown next to its state. The signal aborts when the answer is no
 * longer needed: a long check ends its call then.
 */
export type HealthCheck = (
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>> | undefined>;

export interface AdminServerOptions {
  readonly host: string;
  /** 0 uses a free port. */
  readonly port: number;
  readonly registry: Registry;
  /** Each dependency by name; one that fails makes the process not ready. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /**
   * Faults that must not keep requests away, by name. One that fails degrades the answer but leaves its code 200. If a
   * load balancer took every replica out of use for it, one fault would become an outage.
   */
  readonly advisories?: Readonly<Record<string, HealthCheck>>;
  /** Parts of the service that need only some dependencies: each has a route of its own, /health/ready/<part>. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  /** True if no new request should come: not ready, whatever the checks say. */
  readonly isDraining?: () => boolean;
  /** Further members of the answer of /health/ready, such as the projector's lag. */
  readonly extra?: () => Readonly<Record<string, unknown>>;
  readonly checkDeadlineMs?: number;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface CheckAnswer {
  readonly status: 'ok' | 'error';
  readonly latency_ms: number;
  readonly [detail: string]: unknown;
}

/** A failed check whose message may be shown: it contains no address, user or secret. */
export class ShownFailure extends Error {
  override readonly name = 'ShownFailure';
}

/** Serves /health/live, /health/ready and those of its parts (503 while a check fails or it drains) and /metrics. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { host, port, registry, parts = {}, extra } = options;
  const server = fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });

  const readiness = readinessOf(options);
  server.get('/health/live', () => ({ status: 'ok' }));
  server.get('/health/ready', async (_request, reply) => {
    const { code, body } = await readiness();
    return reply.code(code).send({ ...body, ...extra?.() });
  });
  for (const [part, needed] of Object.entries(parts))
    server.get(`/health/ready/${part}`, async (_request, reply) => {
      const { code, body } = await readiness(needed);
      return reply.code(code).send(body);
    });
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );

  await server.listen({ host, port });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => server.close(),
  };
}

interface Readiness {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * @returns a function that tells if the process is ready, by the checks in `needed`; if absent, by all checks and with
 *   the advisories
 */
function readinessOf({
  checks,
  advisories = {},
  isDraining,
  checkDeadlineMs = 2000,
}: AdminServerOptions): (needed?: readonly string[]) => Promise<Readiness> {
  const sharedOf = (each: Readonly<Record<string, HealthCheck>>) =>
    Object.entries(each).map(
      ([name, check]) => [name, shared(() => runCheck(check, checkDeadlineMs))] as const,
    );
  const [run, advise] = [sharedOf(checks), sharedOf(advisories)];
  return async (needed) => {
    const [answers, advice] = await Promise.all([
      answersOf(run.filter(([name]) => needed?.includes(name) ?? true)),
      answersOf(needed ? [] : advise),
    ]);
    const healthy = areOk(advice) ? 'ok' : 'degraded';
    const status = isDraining?.() ? 'draining' : areOk(answers) ? healthy : 'error';
    const body = {
      status,
      dependencies: Object.fromEntries(answers),
      ...(advice.length > 0 && { advisories: Object.fromEntries(advice) }),
    };
    return { code: status === healthy ? 200 : 503, body };
  };
}

type NamedAnswer = readonly [name: string, answer: CheckAnswer];

function answersOf(
  checks: readonly (readonly [name: string, check: () => Promise<CheckAnswer>])[],
): Promise<readonly NamedAnswer[]> {
  return Promise.all(checks.map(async ([name, check]) => [name, await check()] as const));
}

function areOk(answers: readonly NamedAnswer[]): boolean {
  return answers.every(([, { status }]) => status === 'ok');
}

/** Probes that come while a check is under way share its answer: at most one call is open, however many probe. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= work().finally(() => {
      underWay = undefined;
    }));
}

async function runCheck(check: HealthCheck, deadlineMs: number): Promise<CheckAnswer> {
  const unwanted = new AbortController();
  const start = performance.now();
  const latency = () => Math.round((performance.now() - start) * 10) / 10;
  try {
    const detail = await withDeadline(check(unwanted.signal), deadlineMs, 'no answer in time');
    return { ...detail, status: 'ok', latency_ms: latency() };
  } catch (error) {
    // Show the error's kind, not its message: messages of drivers contain addresses and users.
    const shown = error instanceof ShownFailure ? error.message : undefined;
    const kind = shown ?? (isError(error) ? error.name : 'Error');
    return { status: 'error', latency_ms: latency(), error: kind };
  } finally {
    unwanted.abort();
  }
}
