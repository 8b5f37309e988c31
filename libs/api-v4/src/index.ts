export { ApiV4Module } from './api-v4.module.js';
export { ApiV4Options } from './api-v4.options.js';
