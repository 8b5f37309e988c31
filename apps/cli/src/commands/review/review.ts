import { Command } from 'commander';
import { confirm } from './confirm.js';
import { list } from './list.js';
import { resolve } from './resolve.js';
import { show } from './show.js';

export const review = new Command('review')
  .description('collections that a person must decide')
  .addCommand(list)
  .addCommand(show)
  .addCommand(resolve)
  .addCommand(confirm);
