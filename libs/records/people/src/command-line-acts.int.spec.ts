import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { type CommandLineAct, noteAct, type NotedAct, tellActs } from './command-line-acts.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

const act = (event: CommandLineAct['event'], command: string): CommandLineAct => ({
  event,
  personId: 'https://id.example#amina',
  command,
  machine: 'amina@till',
});

it('acts of command lines are reported once, in order, and again if the report failed', async () => {
  const acts = [act('signed_in', 'login'), act('refused', 'fee set')];
  for (const each of acts) await noteAct(own.database, each);
  const fail = (): void => {
    throw new Error('the log is full');
  };
  await expect(tellActs(own.database, fail)).rejects.toThrow('the log is full');
  const told: NotedAct[] = [];
  const tell = (each: NotedAct): void => {
    told.push(each);
  };
  expect(await tellActs(own.database, tell)).toBe('idle');
  expect(await tellActs(own.database, tell)).toBe('idle');
  expect(told).toEqual(acts.map((each) => ({ ...each, actedAt: expect.any(Date) })));
});
