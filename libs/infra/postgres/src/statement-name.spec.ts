import { describe, expect, it } from '@jest/globals';
import { nameOfStatement } from './statement-name.js';

describe('the name of a statement', () => {
  it.each([
    ['\n  insert into records.rail_messages (id) values ($1)', 'insert records.rail_messages'],
    ['update records.leases set expires_at = now() from x', 'update records.leases'],
    ['delete from records.callback_inbox where id in (select 1)', 'delete records.callback_inbox'],
    ['select position, stream\n from checkpoint', 'select checkpoint'],
    ['select 1', 'select'],
    ['begin isolation level serializable', 'begin isolation'],
    ['create table a (b text); create table c (d text)', 'create table'],
    ['rollback', 'rollback'],
  ])('%j is %s', (text, name) => {
    expect(nameOfStatement(text)).toBe(name);
  });

  it('is the given name if there is one', () => {
    expect(nameOfStatement({ name: 'claims-insert', text: 'insert into t' })).toBe('claims-insert');
  });
});
