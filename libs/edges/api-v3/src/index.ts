export { ApiV3Module } from './api-v3.module.js';
export { V3Authenticated } from './authentication/v3.guard.js';
