import { Database } from '#infra/postgres';
import { addV3Counts } from '#records/v3-usage';
import { rawPath, rawQuery } from '#shared/http';
import { parseQuery } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { Clock } from '#domain/kernel';
import { Loop, Metrics, withDeadline } from '#infra/runtime';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { unknownV3Caller } from '#views/v3-usage';
import { CallCounts, dayOf, stretchesOf } from './call-counts.js';
import { V3GateOptions } from './v3-gate.options.js';

/**
 * The names of V3's routes in the counters. The list is closed, so that an untrusted sender cannot choose what is
 * stored.
 */
export type V3Route = 'balance' | 'collect' | 'checkout' | 'other';

const prefix = /^\/(?:api\/)?v3(?:\/|$)/;
const checkoutPrefix = /^\/checkout(?:\/|$)/;

const routes: readonly (readonly [RegExp, V3Route])[] = [
  [/^\/(?:api\/)?v3\/account\/balance\//, 'balance'],
  [/^\/(?:api\/)?v3\/collect\/mpesa$/, 'collect'],
  [/^\/(?:api\/v3\/|v3\/)?checkout(?:\/|$)/, 'checkout'],
];

/**
 * Returns the route of V3 that the request is for, or undefined if it is not V3's. A checkout link belongs to V3 if it
 * has the parameter `hsh`, whatever its path; V4's links have `hash`.
 */
export function v3RouteOf(request: FastifyRequest): V3Route | undefined {
  const path = decoded(rawPath(request));
  // The router's own pattern is checked too, so that no spelling of a path escapes.
  const pattern = request.routeOptions.url ?? '';
  const isV3 = prefix.test(path) || prefix.test(pattern);
  if (!isV3 && !(isCheckout(path, pattern) && hasSha1Hash(rawQuery(request)))) return undefined;
  return routes.find(([matches]) => matches.test(path))?.[1] ?? 'other';
}

function isCheckout(path: string, pattern: string): boolean {
  return checkoutPrefix.test(path) || checkoutPrefix.test(pattern);
}

/** True if the query has the parameter under its decoded name. A link with a percent-encoded name is the same link. */
export function hasSha1Hash(query: string): boolean {
  const parameters = parseQuery(query);
  return parameters.ok
    ? parameters.value.some(([name]) => name === 'hsh')
    : /(?:^|&)hsh=/.test(query);
}

/**
 * Decodes the path, because the router matches decoded paths. A path that cannot be decoded has no route and is used as
 * it is.
 */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const writeEveryMs = 1000;
/** When the process ends, it does not wait longer than this for a statement. */
const stopDeadlineMs = 1000;
const maxBackoffMs = 5000;
/** A replica writes that it counts even without calls, often enough for each minute to show it. */
const silentForMs = 20_000;
/** At the end, the limit for writing the last counts. */
const lastWriteMs = 2000;

/** Counts V3's calls in memory and adds them to the records every second. No call waits for that. */
@Injectable()
export class CallCounter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly counts = new CallCounts();
  /** Everything before this instant is written; undefined before the counting began. */
  private writtenMs: number | undefined;
  private hasWritten = false;
  private readonly loop: Loop;
  private readonly counted;
  private readonly logger: V3GateOptions['logger'];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
    { logger }: V3GateOptions,
  ) {
    this.logger = logger;
    this.loop = new Loop({
      name: 'v3-call-counter',
      step: () => this.write(),
      idleMs: writeEveryMs,
      maxBackoffMs,
      stopDeadlineMs,
      logger,
      metrics,
    });
    this.counted = metrics.counter({
      name: 'v3_calls_total',
      help: 'Calls of V3 by route; caller is merchant, or unknown if the call was not authenticated',
      labels: ['route', 'caller'],
    });
    metrics.gauge({
      name: 'v3_call_counts_unwritten',
      help: 'Counters of V3’s calls that are not in the records yet',
      collect: () => this.counts.size,
    });
  }

  onApplicationBootstrap(): void {
    this.writtenMs = this.clock.nowMs();
    this.loop.start();
  }

  /** Writes the last counts. If this fails, the log says how many counters were lost. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    try {
      await withDeadline(this.writeNow(), lastWriteMs, 'Postgres took too long');
    } catch (error) {
      this.logger.error(
        { err: error, counters: this.counts.size },
        'the last calls of V3 could not be counted',
      );
    }
  }

  /** @param merchantId undefined if the caller is not authenticated */
  call(merchantId: string | undefined, route: V3Route): void {
    this.counts.addCalls(dayOf(this.clock.now()), merchantId ?? unknownV3Caller, route);
    this.counted.inc({ route, caller: merchantId === undefined ? 'unknown' : 'merchant' });
  }

  link(merchantId: string, movable: boolean): void {
    const counts = { links: 1, movable: movable ? 1 : 0 };
    this.counts.addLinks(dayOf(this.clock.now()), merchantId, counts);
  }

  phoneReference(merchantId: string): void {
    this.counts.addPhoneReferences(dayOf(this.clock.now()), merchantId);
  }

  private async write(): Promise<'idle'> {
    const isRecent = this.hasWritten && this.clock.nowMs() - (this.writtenMs ?? 0) < silentForMs;
    if (this.counts.size > 0 || !isRecent) await this.writeNow();
    return 'idle';
  }

  private async writeNow(): Promise<void> {
    const untilMs = this.clock.nowMs();
    const taken = this.counts.take();
    try {
      const counting = stretchesOf(this.writtenMs ?? untilMs, untilMs);
      await addV3Counts(this.database, { ...taken, counting });
      this.writtenMs = untilMs;
      this.hasWritten = true;
    } catch (error) {
      this.counts.giveBack(taken);
      throw error;
    }
  }
}
