export { endSilent } from './end-silent.js';
export { freePort, isFree } from './free-port.js';
export { postgresPrograms, postgresUser } from './postgres-programs.js';
export { PostgresServer } from './postgres-server.js';
export { RedisServer } from './redis-server.js';
export { ServerError, ServerProcess, stopLeftOver } from './server-process.js';
