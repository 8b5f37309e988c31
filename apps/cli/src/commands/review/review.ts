import { Command } from 'commander';
import { confirm } from './confirm.js';
import { dismiss } from './dismiss.js';
import { list } from './list.js';
import { open } from './open.js';
import { resolve } from './resolve.js';
import { show } from './show.js';

export const review = new Command('review')
  .description('collections and payouts that a person must decide')
  .addCommand(list)
  .addCommand(show)
  .addCommand(open)
  .addCommand(resolve)
  .addCommand(confirm)
  .addCommand(dismiss);
