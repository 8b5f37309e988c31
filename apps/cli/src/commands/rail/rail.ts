import { Command } from 'commander';
import { callbackAddress } from './callback-address.js';
import { noticesRegister } from './notices-register.js';
import { noticesShow } from './notices-show.js';

const notices = new Command('notices')
  .description('the addresses to which the rail reports payments that came without a push')
  .addCommand(noticesRegister)
  .addCommand(noticesShow);

export const rail = new Command('rail')
  .description('the addresses of this installation that the rail itself must know')
  .addCommand(callbackAddress)
  .addCommand(notices);
