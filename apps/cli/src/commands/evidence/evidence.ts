import { Command } from 'commander';
import { erase } from './erase.js';
import { show } from './show.js';

export const evidence = new Command('evidence')
  .description(
    'the bytes that merchants signed and rails sent: showing them, and erasing one person’s',
  )
  .addCommand(show)
  .addCommand(erase);
