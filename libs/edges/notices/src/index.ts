export { NoticeOptions } from './channels.js';
export { NoticesModule } from './notices.module.js';
export { NoticesStep } from './notices-step.js';
export { AnnouncedAdmins } from './waiting-items.js';
