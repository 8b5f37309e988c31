export {
  AddressRanges,
  holdsEverybody,
  isAddressRange,
  notARange,
  plainRange,
} from './address-range.js';
export {
  type AdminServer,
  type AdminServerOptions,
  type CheckAnswer,
  type HealthCheck,
  ShownFailure,
  startAdminServer,
} from './admin-server.js';
export { AnnouncedCache } from './announced-cache.js';
export { buildOf, packageDirectory } from './build.js';
export { cachedFor } from './cached-for.js';
export { backoffMs, DeadlineExceeded, withDeadline } from './deadline.js';
export { armCrashPoints, crashPoints } from './crash-points.js';
export { unwrappedEnvironment, wrapMasterKey } from './wrapped-master-keys.js';
export {
  formatRate,
  isKeyId,
  type MasterKey,
  parseDurationMs,
  parseMasterKeys,
  parseRate,
  type Rate,
} from './settings-values.js';
export { type EventStoreUrl, readEventStoreUrl } from './event-store-url.js';
export {
  createLogger,
  exitFlushed,
  isError,
  type Logger,
  type LoggerOptions,
  OwnMembers,
  redactText,
} from './logger.js';
export { Loop, type LoopOptions, stalledLoops } from './loop.js';
export { maskedDigits, maskedReference } from './masked-reference.js';
export {
  type GaugeOptions,
  type HistogramOptions,
  type MetricOptions,
  Metrics,
} from './metrics.js';
export { NestLogger } from './nest-logger.js';
export { type AirtelRailSettings } from './airtel-settings.js';
export { type MpesaPayoutSettings, type MpesaRailSettings } from './mpesa-settings.js';
export { type ProcessContext, processContext, runProcess } from './process-context.js';
export { isPublicAddress } from './public-addresses.js';
export { readRedisUrl, type RedisUrl } from './redis-url.js';
export { isOfUnknownAuthority, refusedCertificate } from './refused-certificate.js';
export { runLoops } from './run-loops.js';
export { givenSettings, secretNames } from './secret-files.js';
export {
  defaultCommandLineClient,
  databaseServerUrl,
  hasLiveRail,
  loadSettings,
  type LogLevel,
  railSettingNames,
  requireServers,
  type Servers,
  settingNames,
  type Settings,
  SettingsError,
  sharedSettings,
} from './settings.js';
export { SystemClock, SystemTimer, UuidIds } from './system.js';
export { type Telemetry } from './telemetry-settings.js';
export {
  type Span,
  type SpanAttributes,
  traceMembers,
  tracing,
  type Tracing,
  useTracing,
} from './tracing.js';
export { onTermination, type ShutdownStep } from './termination.js';
export { generatedKeyId, isThisMachine, type UnsafeRule, unsafeRules } from './unsafe-settings.js';
export { beginOfDay, dayAfter, dayAt, daysBefore, endOfDay } from './zoned-day.js';
