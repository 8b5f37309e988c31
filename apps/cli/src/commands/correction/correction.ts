import { Command } from 'commander';
import { confirm } from './confirm.js';
import { list } from './list.js';
import { post } from './post.js';
import { show } from './show.js';
import { withdraw } from './withdraw.js';

export const correction = new Command('correction')
  .description('corrects the ledger with balanced legs; one operator proposes, another confirms')
  .addCommand(post)
  .addCommand(confirm)
  .addCommand(withdraw)
  .addCommand(list)
  .addCommand(show);
