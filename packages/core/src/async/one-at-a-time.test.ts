import { expect, it } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

it('runs work of one key in order, and that of another at the same time', async () => {
  const writes = new OneAtATime();
  const order: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const work = (name: string, gate?: Promise<void>) => async (): Promise<void> => {
    order.push(`${name} begins`);
    await gate;
    order.push(`${name} ends`);
  };
  const all = [
    writes.run('a', work('first', gates[0].promise)),
    writes.run('a', work('second', gates[1].promise)),
    writes.run('a', work('third')),
  ];
  await writes.run('b', work('other'));
  expect(order).toEqual(['first begins', 'other begins', 'other ends']);
  gates[0].resolve();
  await all[0];
  gates[1].resolve();
  await Promise.all(all);
  expect(order.slice(3)).toEqual(['first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
});

it('goes on after work that fails, and begins at once where none waits', async () => {
  const writes = new OneAtATime();
  const failing = writes.run('a', () => Promise.reject(new Error('no')));
  let hasRun = false;
  const next = writes.run('a', async () => void (hasRun = true));
  await expect(failing).rejects.toThrow('no');
  await next;
  expect(hasRun).toBe(true);
  hasRun = false;
  void writes.run('a', async () => void (hasRun = true));
  expect(hasRun).toBe(true);
});
