import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listV3CountedDays } from '#records/v3-usage';
import {
  type Child,
  eventually,
  pesapost,
  startChild,
  throwAwayDatabase,
  type ThrowAwayDatabase,
  type CommandOutcome,
  typed,
} from '#testing';

type App = 'embedded-eventstore' | 'projector' | 'api';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const copyCountedDay = `
  insert into records.v3_counted_days (day, first_at, last_at, minutes, last_minute)
  select $2::date, first_at + ($2::date - day) * interval '1 day', last_at + ($2::date - day) * interval '1 day',
    minutes, last_minute
  from records.v3_counted_days where day = $1::date`;

/** The service on an event store of its own, whose clock the test moves by restarts. */
export class WalkedCalendar {
  private readonly running = new Map<App, Child>();
  /** In whole seconds: the embedded store reads at most nine digits. */
  private offsetSeconds = 0;

  private constructor(
    /** The test's own folder, deleted with it. */
    readonly directory: string,
    private readonly database: ThrowAwayDatabase,
    private settings: Readonly<Record<string, string>>,
  ) {}

  /** Starts nothing yet; `walkTo` does. */
  static async prepare(settings: Readonly<Record<string, string>>): Promise<WalkedCalendar> {
    const directory = await mkdtemp(join(tmpdir(), 'pesapost-calendar-'));
    return new WalkedCalendar(directory, await throwAwayDatabase(), {
      ADMIN_PORT: '0',
      PORT: '0',
      BASE_URL: 'http://pay.example',
      DATA_DIR: directory,
      MASTER_KEY: `test:${randomBytes(32).toString('base64')}`,
      REDIS_URL: process.env['REDIS_URL'] ?? '',
      LOG_LEVEL: 'info',
      ...settings,
    });
  }

  get env(): Readonly<Record<string, string>> {
    return {
      ...this.settings,
      DATABASE_URL: this.database.url,
      EVENTSTORE_URL: `esdb://127.0.0.1:${this.portOf('embedded-eventstore')}?tls=false`,
      CLOCK_OFFSET: `${this.offsetSeconds}s`,
    };
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.portOf('api')}`;
  }

  /** Stops everything and starts it again with the clock at that instant, and with changed settings. */
  async walkTo(ms: number, changed: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stopAll();
    this.settings = { ...this.settings, ...changed };
    this.offsetSeconds = Math.round((ms - Date.now()) / 1000);
    await this.start('embedded-eventstore');
    await this.start('projector');
    await this.start('api');
  }

  /** A day on which only the API is started, counts no calls, and is stopped again. */
  async passDay(ms: number): Promise<void> {
    await this.stop('api');
    this.offsetSeconds = Math.round((ms - Date.now()) / 1000);
    await this.start('api');
    const day = dayOf(ms);
    await eventually(
      () => listV3CountedDays(this.database.database, day),
      (days) => days.length === 1,
    );
  }

  /** Adds days like one that passed: its count is copied for each of them, as if an API had counted on it. */
  async passDaysLike(passed: number, ...days: readonly number[]): Promise<void> {
    for (const ms of days)
      await this.database.database.query(copyCountedDay, [dayOf(passed), dayOf(ms)]);
  }

  async restartApi(): Promise<void> {
    await this.stop('api');
    await this.start('api');
  }

  run<Answer = Readonly<Record<string, string>>>(...words: string[]): Promise<Answer> {
    return pesapost(this.env, ...words) as Promise<Answer>;
  }

  /** Types a command as a person does, without --json; it may be refused. */
  type(...words: string[]): Promise<CommandOutcome> {
    return typed(this.env, ...words);
  }

  async stopEverything(): Promise<void> {
    await this.stopAll();
    await this.database.drop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private portOf(app: App): number {
    return this.running.get(app)?.ports.port ?? this.lastPorts.get(app) ?? 0;
  }

  private readonly lastPorts = new Map<App, number>();

  private async start(app: App): Promise<void> {
    const own = {
      EMBEDDED_EVENTSTORE_DIR: this.directory,
      EMBEDDED_EVENTSTORE_PORT: '0',
      CLOCK_OFFSET: `${this.offsetSeconds}s`,
    };
    const child = await startChild(app, app === 'embedded-eventstore' ? own : this.env);
    this.running.set(app, child);
    if (child.ports.port !== undefined) this.lastPorts.set(app, child.ports.port);
  }

  private async stop(app: App): Promise<void> {
    const child = this.running.get(app);
    child?.signal('SIGTERM');
    await child?.ended;
    this.running.delete(app);
  }

  private async stopAll(): Promise<void> {
    for (const app of ['api', 'projector', 'embedded-eventstore'] as const) await this.stop(app);
  }
}
