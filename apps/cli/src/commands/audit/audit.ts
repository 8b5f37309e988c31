import { Command } from 'commander';
import { check } from './check.js';
import { key } from './key.js';
import { losses } from './losses.js';
import { prove } from './prove.js';
import { seal } from './seal.js';

export const audit = new Command('audit')
  .description(
    'tamper evidence: seals days, proves postings, checks all of history, and accepts losses of a restore',
  )
  .addCommand(seal)
  .addCommand(prove)
  .addCommand(check)
  .addCommand(key)
  .addCommand(losses);
