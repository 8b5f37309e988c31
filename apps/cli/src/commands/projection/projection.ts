import { Command } from 'commander';
import { list } from './list.js';
import { retry } from './retry.js';

const quarantine = new Command('quarantine')
  .description('merchants whose views are quarantined because an event cannot be applied')
  .addCommand(list)
  .addCommand(retry);

export const projection = new Command('projection')
  .description('how the read models follow the log')
  .addCommand(quarantine);
