export { Database, type Queryable, ReadDatabase, type Transaction } from './database.js';
export { type DatabaseOptions, type TransactionOptions } from './options.js';
export { plainIdentifier } from './plain-identifier.js';
export { type Statement } from './statement-name.js';
export { apartText } from './clock-watch.js';
export { isDiskFull, isMissingRight, isRefusedData, isUniqueViolation } from './failures.js';
export {
  beat,
  type Beating,
  beatingOf,
  endBeating,
  endKilled,
  Heart,
  type Heartbeat,
  neededApps,
  readHeartbeats,
  silentAfterSeconds,
} from './heartbeats.js';
export { type Fence, holdsFence, Lease, type LeaseOptions } from './lease.js';
export { type Listening, type NotificationHandler } from './listen.js';
export { MicroBatcher } from './micro-batcher.js';
export { MigrationError } from './migration-files.js';
export { migrateRecords, recordsVersion, requireMigrated } from './migrations.js';
export { missingRights } from './missing-rights.js';
export { superuserProblem } from './superuser.js';
