import type { Storage } from '@halyard/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { asks } from '../testing/ownership/asks.ts';
import type { Place } from '../testing/ownership/claims.ts';
import { crossings } from '../testing/ownership/crossings.ts';
import { credulous, forgetful, forgetfulVectors, unconfined } from '../testing/ownership/faults.ts';
import { storeCalls } from '../testing/ownership/store-calls.ts';
import { storeCrossings } from '../testing/ownership/store-crossings.ts';
import { openWorld, type World, type WorldOptions } from '../testing/ownership/world.ts';

let world: World | undefined;
afterEach(() => world?.close());

async function crossingsBy(route: string, options: WorldOptions, claims: readonly Place[] = []): Promise<string[]> {
  world = await openWorld(options);
  const found: string[] = [];
  for (const ask of asks.filter((one) => one.route === route)) found.push(...(await crossings(world, ask, claims)));
  return found;
}

const conversation = '/api/memory/conversations/:conversationId';

/** The rows that detect a storage that ignores the owner. */
describe('the matrix finds a storage that ignores the owner in', () => {
  it.each([
    ['conversations', 'find', `GET ${conversation}`],
    ['conversations', 'find', `GET ${conversation}/working-memory`],
    ['conversations', 'list', 'GET /api/memory/conversations'],
    ['conversations', 'update', `PATCH ${conversation}`],
    ['conversations', 'delete', `DELETE ${conversation}`],
    ['conversations', 'clone', `POST ${conversation}/clone`],
    ['conversations', 'messages', `GET ${conversation}/messages`],
    ['conversations', 'messages', 'POST /agents/:id/text'],
    ['conversations', 'save', 'POST /api/memory/save-messages'],
    ['conversations', 'deleteMessages', 'POST /api/memory/messages/delete'],
    ['executions', 'find', 'GET /workflows/:id/executions/:executionId'],
  ] as const)('%s.%s: %s', async (name, method, route) => {
    const seen = (storage: Storage): Storage => forgetful(storage, name, method);
    expect(await crossingsBy(route, { seen })).not.toEqual([]);
  });

  it('the search of vectors', async () => {
    expect(await crossingsBy('GET /api/memory/search', { seenVectors: forgetfulVectors })).not.toEqual([]);
  });
});

it.each([
  ['conversations', 'GET /api/memory/conversations'],
  ['executions', 'GET /workflows/executions'],
] as const)('the matrix finds a list of %s of all users', async (name, route) => {
  const seen = (storage: Storage): Storage => unconfined(storage, name);
  expect(await crossingsBy(route, { seen })).not.toEqual([]);
});

it.each([
  'POST /agents/:id/chat',
  'POST /workflows/:id/execute',
  'GET /workflows/executions',
  'POST /api/memory/save-messages',
])('the matrix finds a server that trusts the named user: %s', async (route) => {
  const claims = ['body.options.userId', 'body.userId', 'query.userId'] as const;
  expect(await crossingsBy(route, { userOf: credulous }, claims)).not.toEqual([]);
});

describe('the calls of the stores find a storage that ignores the owner in', () => {
  it.each(
    (['conversations', 'executions', 'workingMemory'] as const).flatMap((name) =>
      Object.keys(storeCalls[name]).map((method) => [name, method] as const),
    ),
  )('%s.%s', async (name, method) => {
    world = await openWorld();
    const found = await storeCrossings(world, (storage) => forgetful(storage, name, method));
    expect(new Set(found.map((crossing) => crossing.split(' ', 1)[0]))).toEqual(new Set([`${name}.${method}`]));
  });
});
