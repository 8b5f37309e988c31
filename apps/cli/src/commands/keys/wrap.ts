import { isKeyId, type MasterKey, wrapMasterKey } from '#infra/runtime';
import { InvalidArgumentError, Option } from 'commander';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { plainCommand } from '../plain-command.js';

interface WrapOptions {
  readonly kmsKey: string;
  readonly new?: string;
  readonly json?: true;
}

export const wrap = plainCommand(
  'wrap',
  'encrypts the first master key with AWS KMS, or has KMS make a new one; prints it as MASTER_KEY takes it',
  'keys wrap --kms-key alias/pesapost --new k2',
)
  .requiredOption('--kms-key <key>', 'id, ARN or alias of the key in AWS KMS')
  .addOption(
    new Option('--new <id>', 'makes a new master key with this id, which only KMS sees').argParser(
      (id: string) => {
        if (isKeyId(id)) return id;
        throw new InvalidArgumentError('must be 1 to 32 letters, digits, - or _');
      },
    ),
  )
  .action(async ({ kmsKey, new: id, json }: WrapOptions) => {
    const [first] = settingsOrRefused().masterKeys ?? [];
    const key: Partial<MasterKey> | undefined = id === undefined ? first : { id };
    if (key?.id === undefined)
      throw new Refused(['MASTER_KEY is not set: set it, or make a new key with --new']);
    const wrapped = await wrapMasterKey({ kmsKey, id: key.id, bytes: key.bytes });
    if (json) printJson({ master_key: wrapped });
    else printLines([wrapped]);
  });
