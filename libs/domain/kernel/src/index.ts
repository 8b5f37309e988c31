export { Clock, type Instant, instantFromMs, msFromInstant } from './clock.js';
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
export { assertNever } from './assert-never.js';
export { ok, refuse, type Result } from './result.js';
export { Timer } from './timer.js';
export { DependencyUnavailable } from './unavailable.js';
export { writeJson } from './write-json.js';
