import { afterEach, expect, it } from 'vitest';
import { inPostgres } from '../../../testing/durable.ts';
import { Person, serveDesk } from '../../../testing/feedback.ts';
import type { Served } from '../../../testing/serve.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

it('stores feedback in PostgreSQL, where the next server replaces, exports and deletes it with the user', async () => {
  const { storage } = inPostgres();
  server = await serveDesk(storage);
  const before = new Person(server, 'ada');
  const reply = await before.ask('c1', 'Where is it?');
  await before.rate('c1', reply, 'up');
  await server.close();

  server = await serveDesk(storage);
  const [ada, bob, operator] = [new Person(server, 'ada'), new Person(server, 'bob'), new Person(server)];
  await bob.rate('c2', await bob.ask('c2', 'And mine?'), 'up');
  expect(await operator.rated('up')).toEqual([
    { up: 1, down: 0 },
    { up: 1, down: 0 },
  ]);
  await ada.rate('c1', reply, 'down', { note: 'Not at all' });
  expect(await operator.rated('up')).toEqual([{ up: 1, down: 0 }]);
  expect(await operator.rated('down')).toEqual([{ up: 0, down: 1 }]);

  expect(await ada.read('c1')).toEqual({ [reply]: { rating: 'down', note: 'Not at all' } });

  const exported = await fetch(`${server.origin}/observability/users/ada/export`);
  expect(await exported.text()).toContain('Not at all');
  await fetch(`${server.origin}/api/memory/users/ada`, { method: 'DELETE', headers: { 'x-user': 'ada' } });
  expect(await operator.rated('down')).toEqual([]);
  expect(await operator.given()).toMatchObject([{ 'user.id': 'bob' }]);
});
