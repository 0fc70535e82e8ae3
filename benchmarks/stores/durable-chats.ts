import { join } from 'node:path';
import type * as testing from '@halyard/core/testing';
import type * as server from '@halyard/server-fastify';
import { countedPool } from '../../packages/memory-postgres/bench/counted-pool.ts';
import { latency, report } from '../../packages/memory-postgres/bench/measure.ts';
import { importCore, importStorage, packagesPath } from '../../packages/memory-postgres/bench/work-tree.ts';
import { startPostgresServer } from '../../packages/memory-postgres/src/testing/postgres-server.ts';

/*
 * Measures a turn of a durable chat and the same turn over `/text`, both with memory, one client, a model without latency: the time, and the statements.
 * Run: node --conditions=@halyard/source benchmarks/stores/durable-chats.ts [--list]
 * TREE: another work tree to measure instead. `--list` prints the statements of one turn with their times.
 */
const { Agent, createMemory } = await importCore();
const { createPostgresStorage } = await importStorage();
const { createServer } = (await import(join(packagesPath, 'server-fastify/src/index.ts'))) as typeof server;
const { scriptedModel } = (await import(join(packagesPath, 'core/src/testing/index.ts'))) as typeof testing;
const times = 100;

const database = await startPostgresServer();
const { pool, statements } = countedPool(database.connectionString);
const storage = createPostgresStorage({ pool });
let running: server.HalyardServer | undefined;
let turns = 0;
try {
  running = await createServer({
    storage,
    memory: createMemory({ storage }),
    agents: [
      new Agent({ id: 'writer', durable: true, model: scriptedModel(() => ({ text: ['Once ', 'upon a time.'] })) }),
    ],
    host: '127.0.0.1',
    port: 0,
    logger: false,
  });
  const url = await running.listen();
  const text = (): Promise<void> => post(`${url}/agents/writer/text`, withText);
  const chat = (): Promise<void> => post(`${url}/agents/writer/chat`, withChat);
  await latency('/text with memory', text, times);
  await latency('durable chat', chat, times);
  await latency('/text with memory', text, times);
  await latency('durable chat', chat, times);
  report('statements of a turn', { '/text': await perTurn(text), 'durable chat': await perTurn(chat) });
  if (process.argv.includes('--list')) await list(chat);
} finally {
  await running?.close();
  await storage.close();
  await pool.end();
  await database.remove();
}

function withText(conversationId: string): object {
  return { input: 'Tell me a story', options: { conversationId, userId: 'ada' } };
}

function withChat(conversationId: string): object {
  const messages = [{ id: `${conversationId}-u`, role: 'user', parts: [{ type: 'text', text: 'Tell me a story' }] }];
  return { id: conversationId, messages, options: { userId: 'ada' } };
}

async function post(url: string, body: (conversationId: string) => object): Promise<void> {
  turns += 1;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body(`talk-${turns}`)),
  });
  const answer = await response.text();
  if (response.status !== 200 || !answer.includes('upon a time.'))
    throw new TypeError(`A turn was answered ${response.status}: ${answer}`);
}

async function perTurn(turn: () => Promise<void>): Promise<number> {
  const before = statements.length;
  for (let time = 0; time < times; time += 1) await turn();
  return (statements.length - before) / times;
}

async function list(turn: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const push = statements.push.bind(statements);
  const lines: string[] = [];
  statements.push = (...texts) => {
    for (const text of texts)
      lines.push(`${(performance.now() - began).toFixed(1)} ms ${text.replaceAll(/\s+/g, ' ').slice(0, 110)}`);
    return push(...texts);
  };
  await turn();
  console.log([...lines, `${(performance.now() - began).toFixed(1)} ms answered`].join('\n'));
}
