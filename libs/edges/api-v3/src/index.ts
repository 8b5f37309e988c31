export { ApiV3Module } from './api-v3.module.js';
export { signedTextOf } from './collect/collect-request.js';
export { readMembers } from './members.js';
export { FailureLimit, V3Authenticated } from './authentication/v3.guard.js';
