import { type Clock, type Ids, type Timer } from '#domain/kernel';
import { armCrashPoints } from './crash-points.js';
import { createLogger, exitFlushed, LogDestination, type Logger } from './logger.js';
import { Metrics } from './metrics.js';
import {
  loadSettings,
  requireServers,
  type Servers,
  type Settings,
  SettingsError,
} from './settings.js';
import { onNodeWarning } from './node-warnings.js';
import { endOnUncaught, endWhileStarting } from './termination.js';
import { unwrappedEnvironment } from './wrapped-master-keys.js';
import { SystemClock, SystemTimer, UuidIds } from './system.js';
import { useTracing } from './tracing.js';

/** The context that every process begins with; an app's infrastructure module builds the rest on it. */
export interface ProcessContext {
  /** The app's folder under `apps/`. */
  readonly app: string;
  readonly settings: Settings;
  readonly servers: Servers;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
}

/** @throws SettingsError */
export function processContext(
  app: string,
  env: Readonly<Record<string, string | undefined>>,
): ProcessContext {
  const settings = loadSettings(env);
  const metrics = new Metrics();
  const logger = createLogger({ app, level: settings.logLevel, destination: logTo(metrics) });
  if (settings.crashAt) armCrashPoints(settings.crashAt, logger);
  return {
    app,
    settings,
    servers: requireServers(settings),
    logger,
    metrics,
    clock: new SystemClock(settings.clockOffsetMs),
    timer: new SystemTimer(),
    ids: new UuidIds(),
  };
}

function logTo(metrics: Metrics): LogDestination {
  const dropped = metrics.counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because their reader was too slow',
  });
  return new LogDestination({
    onDrop: () => {
      dropped.inc();
    },
  });
}

/**
 * Runs an app's main function under its name (`ps` shows `pesapost-<app>`). It prints one line for each reason that
 * prevents the start, and the process exits 1 with nothing half-started.
 */
export function runProcess(app: string, start: (context: ProcessContext) => Promise<void>): void {
  process.title = `pesapost-${app}`;
  void begin(app, start);
}

async function begin(
  app: string,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  let context: ProcessContext;
  try {
    context = processContext(app, await unwrappedEnvironment(process.env));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
  onNodeWarning((details, message) => {
    context.logger.warn(details, message);
  });
  endOnUncaught(context.logger);
  endWhileStarting(context.logger);
  observed(context, start).catch((error: unknown) => {
    context.logger.fatal(
      { err: error },
      error instanceof Error ? error.message : 'failed to start',
    );
    exitFlushed(context.logger, 1);
  });
}

/** Loads OpenTelemetry only if a collector is named, because it costs time and memory at start. */
async function observed(
  context: ProcessContext,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  const { app, settings, metrics } = context;
  if (settings.telemetry) {
    const { openTelemetry } = await import('./otlp.js');
    useTracing(openTelemetry({ app, registry: metrics.registry }, settings.telemetry));
  }
  await start(context);
}
