export { takeLock, type Taken } from './lock.js';
export {
  identify,
  isRunning,
  parseIdentity,
  type NotedIdentity,
  type ProcessIdentity,
} from './process-identity.js';
