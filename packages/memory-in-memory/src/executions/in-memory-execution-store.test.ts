import { expect, it } from 'vitest';
import { create, finish, storeWith } from '../testing/run-executions.ts';

it('notifies watchers of signals only for requests from outside', async () => {
  const store = storeWith({});
  const changes: string[] = [];
  store.watch('run', (change) => changes.push(change));
  await create(store, 'run');
  await store.request('anyone', 'run', { kind: 'suspend', reason: 'wait' });
  await finish(store, 'run');
  expect(changes).toEqual(['commit', 'signal', 'commit', 'commit']);
});
