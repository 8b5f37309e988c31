export { Clock, type Instant, instantFromMs, msFromInstant, Timer } from './clock.js';
export {
  decimalFromMinor,
  minorFromDecimal,
  formatMinor,
  isMinorText,
  type Minor,
  parseMinor,
} from './money.js';
export { Ids } from './ids.js';
export { isMode, type Mode, modes } from './mode.js';
export { assertNever, ok, refuse, type Result } from './result.js';
export { DependencyUnavailable } from './unavailable.js';
export { writeJson } from './write-json.js';
