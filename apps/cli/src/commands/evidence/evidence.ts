import { Command } from 'commander';
import { erase } from './erase.js';
import { show } from './show.js';

export const evidence = new Command('evidence')
  .description(
    'shows the bytes that merchants signed and rails sent, or erases those of one person',
  )
  .addCommand(show)
  .addCommand(erase);
