export { NoticeOptions } from './channels.js';
export {
  type ChannelName,
  type NewNotice,
  NoticeBook,
  type Notice,
  type WaitingKind,
} from './notice-book.js';
export { NoticesModule } from './notices.module.js';
export { NoticesStep } from './notices-step.js';
export { AnnouncedAdmins } from './waiting-items.js';
