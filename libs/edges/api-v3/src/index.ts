export { ApiV3Module } from './api-v3.module.js';
export { FailureLimit, V3Authenticated } from './authentication/v3.guard.js';
