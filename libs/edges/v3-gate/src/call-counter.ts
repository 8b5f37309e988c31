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
import { CallCounts, dayOf, stretchesOf, V3Usage } from './call-counts.js';
import { V3GateOptions } from './v3-gate.options.js';

/** What is called, as the counters name it: a closed list, so that an untrusted sender cannot choose what is kept. */
export type V3Route = 'balance' | 'collect' | 'checkout' | 'other';

const prefix = /^\/(?:api\/)?v3(?:\/|$)/;
const checkoutPrefix = /^\/checkout(?:\/|$)/;

const routes: readonly (readonly [RegExp, V3Route])[] = [
  [/^\/(?:api\/)?v3\/account\/balance\//, 'balance'],
  [/^\/(?:api\/)?v3\/collect\/mpesa$/, 'collect'],
  [/^\/(?:api\/v3\/|v3\/)?checkout(?:\/|$)/, 'checkout'],
];

/**
 * Which route of V3 the request is for; undefined where it is not V3's. A checkout link is V3's by its parameter
 * `hsh`, whatever its path; V4's links have `hash`.
 */
export function v3RouteOf(request: FastifyRequest): V3Route | undefined {
  const path = decoded(rawPath(request));
  // Also by what the router made of it, so that no spelling of a path passes by.
  const pattern = request.routeOptions.url ?? '';
  const isV3 = prefix.test(path) || prefix.test(pattern);
  if (!isV3 && !(isCheckout(path, pattern) && hasSha1Hash(rawQuery(request)))) return undefined;
  return routes.find(([matches]) => matches.test(path))?.[1] ?? 'other';
}

function isCheckout(path: string, pattern: string): boolean {
  return checkoutPrefix.test(path) || checkoutPrefix.test(pattern);
}

/** By the parameter's decoded name: a link whose name is written in percents is the same link. */
function hasSha1Hash(query: string): boolean {
  const parameters = parseQuery(query);
  return parameters.ok
    ? parameters.value.some(([name]) => name === 'hsh')
    : /(?:^|&)hsh=/.test(query);
}

/** The router matches decoded paths; one that cannot be decoded has no route, and says by itself what it wants. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const writeEveryMs = 1000;
/** A statement that is not answered is not waited for when the process ends. */
const stopDeadlineMs = 1000;
const maxBackoffMs = 5000;
/** That somebody counts is written although nobody calls: so often that each minute shows it. */
const silentForMs = 20_000;
/** At the end, for what was counted last. */
const lastWriteMs = 2000;

/** Counts V3's calls in memory and adds them to the records every second; no call waits for that. */
@Injectable()
export class CallCounter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly counts = new CallCounts();
  /** Everything up to this instant is written; undefined before the counting began. */
  private writtenMs: number | undefined;
  private hasWritten = false;
  private readonly loop: Loop;
  private readonly counted;
  private readonly logger: V3GateOptions['logger'];

  constructor(
    private readonly usage: V3Usage,
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
      help: 'Calls of V3 by route; caller is merchant, or unknown where nobody was authenticated',
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

  /** The last counts are written, or missed: then the log says how many counters it were. */
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

  /** @param merchantId undefined for nobody who proved who they are */
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
      await this.usage.add({ ...taken, counting });
      this.writtenMs = untilMs;
      this.hasWritten = true;
    } catch (error) {
      this.counts.giveBack(taken);
      throw error;
    }
  }
}
