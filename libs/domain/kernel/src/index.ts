export { Clock, Ids, type Instant, instantFromMs, msFromInstant, Timer } from './clock.js';
export { concurrently, within } from './concurrently.js';
export { constructed } from './constructed.js';
export { isCalendarDay } from './day.js';
export {
  decimalFromMinor,
  formatMinor,
  isMinorText,
  type Minor,
  minorFromDecimal,
  parseMinor,
  writeJson,
} from './money.js';
export { isSameName } from './names.js';
export { isMode, type Mode, modes } from './mode.js';
export { type PhoneTraces } from './phone-traces.js';
export { RecentMap } from './recent-map.js';
export {
  assertNever,
  DependencyUnavailable,
  ok,
  Overloaded,
  refuse,
  renameRefusal,
  type Result,
} from './result.js';
