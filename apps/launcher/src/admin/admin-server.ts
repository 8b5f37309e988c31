import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Metrics } from '#infra/runtime';
import { type Exposition, mergeExpositions } from './exposition.js';
import { type ChildAnswer, mergeHealth } from './readiness.js';

/** A process whose health and metrics are merged. */
export interface Monitored {
  /** Its folder under `apps/`, or the server's name. */
  readonly process: string;
  readonly isRunning: () => boolean;
  /** True if the process answered its last check. A process without a check is up while it runs. */
  readonly isUp: () => boolean;
  /** The address of its own admin server, or absent if it has none. */
  readonly adminUrl?: string;
}

export interface LauncherAdminOptions {
  readonly host: string;
  readonly port: number;
  readonly monitored: readonly Monitored[];
  /** The launcher's own metrics. */
  readonly metrics: Metrics;
}

/** Longer than the children's own deadline for a check. */
const askDeadlineMs = 4000;

/**
 * Serves the children's /health/live, /health/ready and /metrics as one, and the API's /health/ready/rails.
 * @returns the server, to be closed
 */
export async function startLauncherAdmin(
  options: LauncherAdminOptions,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { monitored, metrics }: LauncherAdminOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (request.method !== 'GET') sendJson(response, 405, { error: 'method_not_allowed' });
  else if (isHealthPath(path)) {
    const asked = path === '/health/ready/rails' ? monitored.filter(takesCallbacks) : monitored;
    const merged = mergeHealth(await Promise.all(asked.map((one) => askHealth(one, path))));
    sendJson(response, merged.status === 'error' ? 503 : 200, merged);
  } else if (path === '/metrics') {
    const texts = await Promise.all(monitored.map((one) => askMetrics(one)));
    const own = { process: 'launcher', text: await metrics.registry.metrics() };
    const merged = mergeExpositions([own, ...monitored.map(upOf), ...texts.flat()]);
    response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(merged);
  } else sendJson(response, 404, { error: 'not_found' });
}

const isHealthPath = (path: string): boolean =>
  ['/health/live', '/health/ready', '/health/ready/rails'].includes(path);

const takesCallbacks = ({ process }: Monitored): boolean => process === 'api';

/** One sample for each process; `mergeExpositions` adds the process's name. */
function upOf({ process, isUp }: Monitored): Exposition {
  const help = '# HELP pesapost_up Whether the process answers, 1 or 0';
  return { process, text: `${help}\n# TYPE pesapost_up gauge\npesapost_up ${isUp() ? 1 : 0}\n` };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body));
}

async function askHealth(
  { process, isRunning, isUp, adminUrl }: Monitored,
  path: string,
): Promise<ChildAnswer> {
  if (adminUrl === undefined || !isRunning()) return { process, isOk: isUp(), body: undefined };
  try {
    const response = await ask(adminUrl + path);
    const body = (await response.json()) as Record<string, unknown>;
    return { process, isOk: response.ok, body };
  } catch {
    return { process, isOk: false, body: undefined };
  }
}

/** Returns nothing if the process has no metrics or does not answer: the other processes' metrics are still useful. */
async function askMetrics({ process, adminUrl }: Monitored) {
  if (adminUrl === undefined) return [];
  try {
    const response = await ask(`${adminUrl}/metrics`);
    return response.ok ? [{ process, text: await response.text() }] : [];
  } catch {
    return [];
  }
}

function ask(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(askDeadlineMs) });
}
