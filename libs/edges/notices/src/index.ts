export { NoticeOptions } from './channels.js';
export {
  type ChannelName,
  type NewNotice,
  NoticeBook,
  type Notice,
  type WaitingKind,
} from './notice-book.js';
export { NoticesModule } from './notices.module.js';
export { AnnouncedAdmins, NoticesStep } from './notices-step.js';
