import { adminsInLog, deskRecords, twoAdminRecords } from '#adapters/wiring';
import { type Mode, modes } from '#domain/kernel';
import { ClearedRails } from '#domain/ledger';
import { type RailBalanceEvent, railBalanceStream } from '#domain/settlements';
import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { BalanceRails, PayoutRails, RailFloats } from '#edges/rails';
import { RedisStore } from '#infra/redis';
import { Metrics, type ProcessContext } from '#infra/runtime';
import {
  type BalanceStanding,
  type FloatStanding,
  installationOf,
  PlatformSources,
  RailSchedule,
  RailWatch,
  SearchSources,
} from '#desk/operators';
import { Injectable, type Provider } from '@nestjs/common';

/** Providers of the operators' pages and decisions, in addition to the API's own. */
export function desk({ settings, servers: { eventstoreUrl } }: ProcessContext): Provider[] {
  const { railQueryDelaysMs, railReviewAfterMs, payoutFloatWaitMs, payoutMaxAgeMs } = settings;
  const channels = Object.keys(settings.rails);
  return [
    ...deskRecords,
    ...twoAdminRecords,
    adminsInLog,
    {
      provide: RailSchedule,
      useFactory: () =>
        new RailSchedule(railQueryDelaysMs, railReviewAfterMs, payoutFloatWaitMs, payoutMaxAgeMs),
    },
    {
      provide: PlatformSources,
      inject: [SearchSources, RedisStore],
      useFactory: (servers: SearchSources, redis: RedisStore) =>
        new PlatformSources(servers, {
          maxAgeMs: settings.readModelMaxAgeMs,
          reviewAfterMs: railReviewAfterMs,
          redis: () => redis.ping(),
          installation: installationOf(settings, eventstoreUrl),
        }),
    },
    BalanceSources,
    { provide: ClearedRails, useFactory: () => new ClearedRails(channels) },
    {
      provide: RailWatch,
      inject: [PayoutRails, RailFloats, Metrics, BalanceSources],
      useFactory: (
        rails: PayoutRails,
        floats: RailFloats,
        metrics: Metrics,
        balances: BalanceSources,
      ) =>
        new RailsSeen(
          channels.flatMap((channel) =>
            modes
              // An account that pays nothing out has no float to query.
              .filter((mode) => rails.payoutLimits(channel, mode) !== undefined)
              .map((mode) => ({ channel, mode })),
          ),
          floats,
          metrics,
          balances,
        ),
    },
  ];
}

const circuitStates = ['closed', 'half_open', 'open'] as const;

/** The rails that report their balances, and the log with the comparisons. */
@Injectable()
class BalanceSources {
  constructor(
    readonly rails: BalanceRails,
    readonly store: EventStore,
  ) {}
}

/** An accepted difference is explained. */
function standingOf(event: RecordedEvent<RailBalanceEvent>): NonNullable<BalanceStanding['last']> {
  const { recordedAt: at } = event;
  if (event.type === 'RailBalanceAccepted') return { differs: false, differenceMinor: 0n, at };
  const { outcome, differenceMinor } = event.data;
  return { differs: outcome === 'differs', differenceMinor, at };
}

/** The circuits of this process only: each replica has its own. */
class RailsSeen extends RailWatch {
  constructor(
    private readonly accounts: readonly { readonly channel: string; readonly mode: Mode }[],
    private readonly rails: RailFloats,
    private readonly metrics: Metrics,
    private readonly sources: BalanceSources,
  ) {
    super();
  }

  override async circuits(): ReturnType<RailWatch['circuits']> {
    const gauge = this.metrics.registry.getSingleMetric('pesapost_rail_circuit_state');
    const { values = [] } = (await gauge?.get()) ?? {};
    return values.map(({ labels, value }) => ({
      mode: String(labels['mode']),
      endpoint: String(labels['endpoint']),
      state: circuitStates[value] ?? 'open',
    }));
  }

  override balances(): Promise<readonly BalanceStanding[]> {
    const { rails, store } = this.sources;
    return Promise.all(
      rails.all().map(async (account) => {
        const event = await store.readLast<RailBalanceEvent>(railBalanceStream(account));
        return { ...account, last: event && standingOf(event) };
      }),
    );
  }

  override floats(): Promise<readonly FloatStanding[]> {
    return Promise.all(
      this.accounts.map(async (account) => {
        const told = await this.rails.of(account);
        return { ...account, told: told && { minor: told.minor, atMs: told.asOfMs } };
      }),
    );
  }
}
