import { expect, it } from 'vitest';
import { Watchers } from './watchers.ts';

it('removes an id when its last listener is removed', () => {
  const watchers = new Watchers();
  const stops = [watchers.add('a', () => {}), watchers.add('a', () => {}), watchers.add('b', () => {})];
  expect(watchers.size).toBe(2);
  for (const stop of stops) stop();
  expect(watchers.size).toBe(0);
});

it('keeps a new listener when a removed one is removed again', () => {
  const watchers = new Watchers();
  const stopFirst = watchers.add('a', () => {});
  stopFirst();
  const changes: string[] = [];
  watchers.add('a', (change) => changes.push(change));
  stopFirst();
  watchers.notify('a', 'commit');
  expect(changes).toEqual(['commit']);
});

it('notifies only the listeners that were registered at the start, although one is added again', () => {
  const watchers = new Watchers();
  let calls = 0;
  let stop = watchers.add('a', again);
  function again(): void {
    calls += 1;
    stop();
    stop = watchers.add('a', again);
  }
  watchers.notify('a', 'signal');
  expect(calls).toBe(1);
});
