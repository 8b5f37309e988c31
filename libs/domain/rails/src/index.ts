export {
  type NoticeAddressesRegistered,
  noticeEventTypes,
  noticesStream,
  type WhenSilent,
} from './notices/notice-addresses.events.js';
export { RecordNoticeAddresses } from './notices/record-addresses.command.js';
export {
  DismissRailReport,
  type RailReportDismissed,
  reportEventTypes,
  reportsStream,
} from './reports/dismiss-report.command.js';
export { NoticeAddressesModule, RailReportsModule } from './rails.module.js';
export {
  type NotAsked,
  type PushAnswer,
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailAmount,
  railAmount,
  type RailLimits,
  type RailPayment,
} from './rail.js';
export {
  type RailConfirmed,
  type RailDeclined,
  type RailReceiptRecorded,
  type ReportSource,
} from './rail.events.js';
export { type RailReport, type Verdict } from './rail-report.js';
export { isTooLateToSend } from './too-late.js';
