import { ConnectionError, createClient } from '@halyard/client';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';
import { openCuttableProxy } from './cuttable-proxy.ts';

let server: HalyardServer;
let origin: string;
beforeAll(async () => {
  const agent = new Agent({ id: 'greeter', model: scriptedModel(() => 'Hello.') });
  server = await createServer({
    limits: unreachableLimits,
    agents: [agent],
    logger: { level: 'info', stream: { write: () => {} } },
    signals: false,
  });
  origin = await server.listen({ port: 0 });
});
afterAll(() => server.close());

it('sends and receives messages, and closes when the reader leaves', async () => {
  const channel = createClient({ baseUrl: origin }).channel('/ws');
  expect(() => channel.send('early')).toThrow(ConnectionError);
  const types: string[] = [];
  for await (const message of channel) {
    types.push(message.type);
    if (message.type === 'CONNECTION_TEST') channel.send({ hello: 'there' });
    if (message.type === 'ECHO') {
      expect(message.data).toEqual({ hello: 'there' });
      break;
    }
  }
  expect(types).toEqual(['CONNECTION_TEST', 'ECHO']);
  expect(() => channel.send('late')).toThrow(ConnectionError);
});

it('receives the records of the server', async () => {
  const client = createClient({ baseUrl: origin });
  for await (const message of client.channel('/ws/observability', { query: { entityType: 'agent' } })) {
    if (message.type === 'CONNECTION_SUCCESS') await client.agent('greeter').text('Hi');
    if (message.type === 'OBSERVABILITY_EVENT') {
      expect(message.data).toMatchObject({ type: 'span:start', span: { name: 'invoke_agent greeter' } });
      break;
    }
  }
  for await (const message of client.channel('/ws/logs', { query: { level: 'info' } })) {
    if (message.type === 'ERROR') throw new Error(message.error);
    expect(message.logs.map(({ msg }) => msg)).toContain('request answered');
    break;
  }
});

it('connects again when the connection is lost, also after some time', async () => {
  const proxy = await openCuttableProxy(() => origin);
  let opened = 0;
  let received = 0;
  const channel = createClient({ baseUrl: proxy.origin }).channel('/ws', { onOpen: () => (opened += 1) });
  for await (const message of channel) {
    if (message.type !== 'CONNECTION_TEST') continue;
    received += 1;
    if (received === 1) proxy.cut();
    if (received === 2) {
      await proxy.leave();
      setTimeout(() => void proxy.comeBack(), 300);
    }
    if (received === 3) break;
  }
  expect(opened).toBe(3);
  await proxy.close();
});

it('gives up a server that stays away', async () => {
  const proxy = await openCuttableProxy(() => origin);
  await proxy.close();
  const channel = createClient({ baseUrl: proxy.origin, reconnects: 1 }).channel('/ws');
  await expect(channel[Symbol.asyncIterator]().next()).rejects.toThrow(ConnectionError);
});

it('ends with the reason of its signal', async () => {
  const left = new AbortController();
  const reason = new Error('left');
  const read = async (): Promise<void> => {
    for await (const _ of createClient({ baseUrl: origin }).channel('/ws', { signal: left.signal })) left.abort(reason);
  };
  await expect(read()).rejects.toBe(reason);
});

it('does not keep unread messages without a limit', async () => {
  const channel = createClient({ baseUrl: origin }).channel('/ws', { bufferedMessages: 10 });
  const read = async (): Promise<void> => {
    for await (const { type } of channel) {
      if (type !== 'CONNECTION_TEST') continue;
      for (let count = 0; count < 100; count += 1) channel.send(count);
      await expect.poll(() => channelState(channel)).toBe('closed');
    }
  };
  await expect(read()).rejects.toThrow('10 messages were not read');
});

function channelState(channel: { readonly send: (message: unknown) => void }): 'open' | 'closed' {
  try {
    channel.send('still there?');
    return 'open';
  } catch {
    return 'closed';
  }
}

it('gives up after a message that the server does not accept', async () => {
  const channel = createClient({ baseUrl: origin }).channel('/ws/logs', { query: { since: 'yesterday' } });
  const read = async (): Promise<void> => {
    for await (const _ of channel) void _;
  };
  await expect(read()).rejects.toThrow(ConnectionError);
});

it('ends with an error when the address may not be called', async () => {
  const channel = createClient({ baseUrl: 'http://127.0.0.1:1', reconnects: 0 }).channel('/ws');
  await expect(channel[Symbol.asyncIterator]().next()).rejects.toThrow('The channel /ws was closed (1006)');
});
