export { addMonths, type CalendarDate, startOf } from './calendar.js';
export { type FinalNoticeRefusal, IssueFinalNotice } from './notice/issue-final-notice.command.js';
export {
  type RetirementEvent,
  retirementEventTypes,
  retirementStream,
} from './retirement.events.js';
export { type RetiredV3, RetireV3 } from './retire/retire-v3.command.js';
export {
  finalNoticeDays,
  type MissingToRetire,
  missingToRetire,
  type RetirementFacts,
  usageWindowDays,
  type V3Usage,
} from './retire/retire-v3.decide.js';
export { ScheduledAdmission } from './scheduled-admission.js';
export {
  type DatedWindow,
  datedWindows,
  type Phase,
  phasesAt,
  type Rule,
  ruleBegins,
  rulesAt,
  sunsetDate,
} from './schedule.js';
export { V3RetirementModule } from './v3-retirement.module.js';
