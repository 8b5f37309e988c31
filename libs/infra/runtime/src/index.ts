export { AddressRanges, holdsEverybody, isAddressRange } from './address-range.js';
export {
  type AdminServer,
  type AdminServerOptions,
  type CheckAnswer,
  type HealthCheck,
  startAdminServer,
} from './admin-server.js';
export { AnnouncedCache } from './announced-cache.js';
export { backoffMs } from './backoff.js';
export { armCrashPoints, crashPoints } from './crash-points.js';
export { DeadlineExceeded, withDeadline } from './deadline.js';
export { parseDurationMs } from './duration.js';
export { type EventStoreUrl, readEventStoreUrl } from './event-store-url.js';
export { isError } from './is-error.js';
export { createLogger, type Logger, type LoggerOptions } from './logger.js';
export { kept } from './kept.js';
export { Loop, type LoopOptions } from './loop.js';
export { type MasterKey, parseMasterKeys } from './master-key.js';
export {
  type GaugeOptions,
  type HistogramOptions,
  type MetricOptions,
  Metrics,
} from './metrics.js';
export { NestLogger } from './nest-logger.js';
export { type MpesaRailSettings, railSettingNames } from './rail-settings.js';
export { formatRate, parseRate, type Rate } from './rate.js';
export { type ProcessContext, processContext, runProcess } from './process-context.js';
export { redactText } from './redact.js';
export { runLoops } from './run-loops.js';
export {
  loadSettings,
  type LogLevel,
  requireServers,
  type Servers,
  settingNames,
  type Settings,
  SettingsError,
} from './settings.js';
export { SystemClock } from './system-clock.js';
export { SystemTimer } from './system-timer.js';
export { onTermination, type ShutdownStep } from './termination.js';
export { generatedKeyId, type UnsafeRule, unsafeRules } from './unsafe-settings.js';
export { UuidIds } from './uuid-ids.js';
