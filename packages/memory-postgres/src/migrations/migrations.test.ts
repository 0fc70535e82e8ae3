import { expect, it } from 'vitest';
import { migrations } from '../storage-migrations.ts';
import { storageMigrations } from './migrations.ts';

it('lists its migrations in the order of their numbers, without a gap', () => {
  const numbers = storageMigrations.migrations.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('has one text for each object of the first release', () => {
  const [first] = storageMigrations.migrations;
  const created = first
    ?.sql('"halyard"')
    .match(/^create (?:unique )?(?:function|index|sequence|table|trigger) \S+?(?=[ (;])/gm);
  expect(created?.length).toBeGreaterThan(100);
  expect(new Set(created).size).toBe(created?.length);
  expect(first?.sql('"halyard"')).not.toMatch(/^(?:alter table|drop |create or replace )/m);
});

it('names no schema but the one that it is for', () => {
  // With a colon, it begins the ids of workflows.
  expect(migrations.sql({ schema: 'another' })).not.toMatch(/halyard(?!:)/);
});
