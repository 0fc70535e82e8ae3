import { expect, it } from 'vitest';
import { storageMigrations } from './migrations.ts';

it('lists its migrations in the order of their numbers, without a gap', () => {
  const numbers = storageMigrations.migrations.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
