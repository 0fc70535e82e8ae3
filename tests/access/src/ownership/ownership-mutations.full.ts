import type { Storage } from '@halyard/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import type { Place } from './claims.ts';
import { trustingNamedUser, ignoringOwner, vectorsOfAllUsers, listingAllUsers } from './faults.ts';
import { ownershipCases } from './ownership-cases.ts';
import { storeCalls } from './store-calls.ts';
import { storeViolations } from './store-violations.ts';
import { violations } from './violations.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

let world: World | undefined;
afterEach(() => world?.close());

async function violationsBy(route: string, options: WorldOptions, claims: readonly Place[] = []): Promise<string[]> {
  world = await openWorld(options);
  const found: string[] = [];
  for (const ask of ownershipCases.filter((one) => one.route === route))
    found.push(...(await violations(world, ask, claims)));
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
    const seen = (storage: Storage): Storage => ignoringOwner(storage, name, method);
    expect(await violationsBy(route, { seen })).not.toEqual([]);
  });

  it('the search of vectors', async () => {
    expect(await violationsBy('GET /api/memory/search', { seenVectors: vectorsOfAllUsers })).not.toEqual([]);
  });
});

it.each([
  ['conversations', 'GET /api/memory/conversations'],
  ['executions', 'GET /workflows/executions'],
] as const)('the matrix finds a list of %s of all users', async (name, route) => {
  const seen = (storage: Storage): Storage => listingAllUsers(storage, name);
  expect(await violationsBy(route, { seen })).not.toEqual([]);
});

it.each([
  'POST /agents/:id/chat',
  'POST /workflows/:id/execute',
  'GET /workflows/executions',
  'POST /api/memory/save-messages',
])('the matrix finds a server that trusts the named user: %s', async (route) => {
  const claims = ['body.options.userId', 'body.userId', 'query.userId'] as const;
  expect(await violationsBy(route, { userOf: trustingNamedUser }, claims)).not.toEqual([]);
});

describe('the calls of the stores find a storage that ignores the owner in', () => {
  it.each(
    (['conversations', 'executions', 'workingMemory'] as const).flatMap((name) =>
      Object.keys(storeCalls[name]).map((method) => [name, method] as const),
    ),
  )('%s.%s', async (name, method) => {
    world = await openWorld();
    const found = await storeViolations(world, (storage) => ignoringOwner(storage, name, method));
    expect(new Set(found.map((violation) => violation.split(' ', 1)[0]))).toEqual(new Set([`${name}.${method}`]));
  });
});
