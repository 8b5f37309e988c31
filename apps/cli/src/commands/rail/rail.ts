import { Command } from 'commander';
import { balanceAccept } from './balance-accept.js';
import { balanceShow } from './balance-show.js';
import { callbackAddress } from './callback-address.js';
import { noticesRegister } from './notices-register.js';
import { noticesShow } from './notices-show.js';

const notices = new Command('notices')
  .description('the addresses to which the rail reports payments that came without a push')
  .addCommand(noticesRegister)
  .addCommand(noticesShow);

const balance = new Command('balance')
  .description('the balance of the rail’s own accounts, compared with the ledger')
  .addCommand(balanceShow)
  .addCommand(balanceAccept);

export const rail = new Command('rail')
  .description('the rail’s own accounts, and the addresses that the rail must know')
  .addCommand(balance)
  .addCommand(callbackAddress)
  .addCommand(notices);
