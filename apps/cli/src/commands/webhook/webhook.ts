import { Command } from 'commander';
import { deliveries, resend, show } from './deliveries.js';
import { disable, enable, rotate, set } from './endpoint.js';
import { listen } from './listen.js';
import { trigger } from './trigger.js';

export const webhook = new Command('webhook')
  .description('webhooks that report outcomes to merchants, and their deliveries')
  .addCommand(set)
  .addCommand(rotate)
  .addCommand(enable)
  .addCommand(disable)
  .addCommand(deliveries)
  .addCommand(show)
  .addCommand(resend)
  .addCommand(trigger)
  .addCommand(listen);
