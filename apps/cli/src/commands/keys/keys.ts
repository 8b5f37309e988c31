import { Command } from 'commander';
import { rewrap } from './rewrap.js';
import { status } from './status.js';
import { wrap } from './wrap.js';

export const keys = new Command('keys')
  .description('the master keys: what needs them, and retiring one')
  .addCommand(status)
  .addCommand(rewrap)
  .addCommand(wrap);
