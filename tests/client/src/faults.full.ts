import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConnectionError,
  createClient,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
  UnexpectedReplyError,
  type WorkflowEvent,
} from '@halyard/client';
import { Agent, andThen, createMemory, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';
import { type CuttableProxy, openCuttableProxy } from './cuttable-proxy.ts';

/** Opens once. Steps and models wait for it. */
class Gate {
  open = (): void => {};
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

let gates: readonly Gate[] = [];
const closers: (() => unknown)[] = [];
afterEach(async () => {
  // A server that closes waits for the steps that run.
  for (const gate of gates) gate.open();
  for (const close of closers.splice(0).toReversed()) await close();
});

const workflow = createWorkflow({ id: 'gated', input: Type.Array(Type.Integer()) }).andForEach({
  id: 'each',
  step: andThen({
    id: 'wait',
    execute: async ({ data, signal }) => {
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
      await Promise.race([gates[data]?.opened, aborted]);
      return data;
    },
  }),
});
const items = [0, 1, 2, 3, 4, 5];
const reset = (): void => {
  gates = items.map(() => new Gate());
};

async function serve(
  options: Parameters<typeof createServer>[0] = {},
): Promise<{ server: HalyardServer; origin: string }> {
  const server = await createServer({
    limits: unreachableLimits,
    workflows: [workflow],
    logger: false,
    signals: false,
    ...options,
  });
  const origin = await server.listen({ port: 0 });
  closers.push(() => server.close());
  return { server, origin };
}

async function proxyTo(target: () => string): Promise<CuttableProxy> {
  const proxy = await openCuttableProxy(target);
  closers.push(() => proxy.close());
  return proxy;
}

/** A server that is not Halyard. */
async function fake(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls `at` after each event, and returns the numbers of the stored ones. */
async function numbersOf(
  events: AsyncIterable<WorkflowEvent>,
  at: (event: WorkflowEvent, seq: number) => unknown,
): Promise<number[]> {
  const numbers: number[] = [];
  for await (const event of events) {
    if (!('seq' in event)) continue;
    numbers.push(event.seq);
    await at(event, event.seq);
  }
  return numbers;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
/** Opens the gate of the step that has begun. */
const openNext = (event: WorkflowEvent): void => {
  if (event.type === 'step-start' && event.from.startsWith('wait')) gates[Number(event.from.split(':')[1])]?.open();
};

describe('the events of an execution', () => {
  it('continue without a gap or a repetition when connections break, whatever was received', async () => {
    reset();
    const { origin } = await serve();
    const proxy = await proxyTo(() => origin);
    const execution = await createClient({ baseUrl: proxy.origin }).workflow('gated').start(items);

    const numbers = await numbersOf(execution, (event, seq) => {
      if (seq % 3 === 0) proxy.cut();
      openNext(event);
    });

    expect(numbers).toEqual(upTo(numbers.length));
    expect(numbers.length).toBeGreaterThan(12);
    expect(proxy.accepted()).toBeGreaterThan(4);
    expect(await execution.result()).toMatchObject({ status: 'completed', result: items });
  });

  it('continue when the server restarts in the middle', async () => {
    reset();
    const storage = createInMemoryStorage();
    const options = { storage, leaseMs: 1000, limits: { shutdownGraceMs: 50 } };
    let current = await serve(options);
    const proxy = await proxyTo(() => current.origin);
    const execution = await createClient({ baseUrl: proxy.origin, reconnects: 20 }).workflow('gated').start(items);
    let restarts = 0;

    const numbers = await numbersOf(execution, async (event) => {
      if (event.type === 'step-start' && event.from === 'wait:2' && restarts === 0) {
        restarts += 1;
        await current.server.close();
        current = await serve(options);
      }
      openNext(event);
    });

    expect(restarts).toBe(1);
    expect(numbers).toEqual(upTo(numbers.length));
    expect(await execution.result()).toMatchObject({ status: 'completed', result: items });
  });

  it('continue when the server is away for a while, and end with an error when it stays away', async () => {
    reset();
    const { origin } = await serve();
    const proxy = await proxyTo(() => origin);
    const client = createClient({ baseUrl: proxy.origin, reconnects: 3 });
    const execution = await client.workflow('gated').start(items);
    const states: string[] = [];
    const follow = execution.follow({ onOpen: () => states.push('open'), onLost: () => states.push('lost') });

    const numbers = await numbersOf(follow, async (event, seq) => {
      if (seq === 3) {
        await proxy.leave();
        setTimeout(() => void proxy.comeBack(), 300);
      }
      openNext(event);
    });
    expect(numbers).toEqual(upTo(numbers.length));
    expect(states.slice(0, 2)).toEqual(['open', 'lost']);
    expect(states.at(-1)).toBe('open');

    reset();
    const lost = await client.workflow('gated').start(items);
    await expect(numbersOf(lost, (_, seq) => seq === 3 && proxy.leave())).rejects.toThrow(ConnectionError);
    await proxy.comeBack();
  });

  it('do not end where a proxy ends the stream as if the server had', async () => {
    reset();
    const { origin } = await serve();
    const seen: (string | undefined)[] = [];
    const baseUrl = await fake((request, response) => {
      const { 'last-event-id': last } = request.headers;
      const headers = { ...(last !== undefined && { 'last-event-id': String(last) }) };
      fetch(`${origin}${request.url}`, { headers }).then(
        async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
          if (!request.url?.endsWith('/stream')) return response.end(await answer.text());
          seen.push(headers['last-event-id']);
          const { value } = (await answer.body?.getReader().read()) ?? {};
          return response.end(value);
        },
        () => response.destroy(),
      );
    });
    const { executionId: id } = await createClient({ baseUrl: origin }).workflow('gated').start(items);

    const numbers = await numbersOf(createClient({ baseUrl }).workflow('gated').follow(id), openNext);

    expect(numbers).toEqual(upTo(numbers.length));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen[0]).toBeUndefined();
  });

  it('are read no faster than the reader reads', async () => {
    const text = JSON.stringify({
      type: 'custom-filler',
      executionId: 'e',
      from: 'x',
      timestamp: '',
      seq: 0,
      filler: 'x'.repeat(1000),
    });
    let written = 0;
    const baseUrl = await fake((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => {
        while (written < 50_000) {
          written += 1;
          if (!response.write(`id: ${written}\ndata: ${text.replace('"seq":0', `"seq":${written}`)}\n\n`)) {
            response.once('drain', write);
            return;
          }
        }
      };
      write();
    });
    const events = createClient({ baseUrl }).workflow('gated').follow('e');
    await events.next();
    await expect.poll(() => written, { interval: 20 }).toBeGreaterThan(10);
    let before = 0;
    // The buffers of both sides are full when nothing more is written.
    await expect
      .poll(
        () => {
          const isFull = before === written;
          before = written;
          return isFull;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(written).toBeLessThan(20_000);
    await events.return();
  });

  it('end when the caller aborts, also while it waits for the next attempt', async () => {
    const refused = new AbortController();
    const reason = new Error('left');
    let attempts = 0;
    const baseUrl = await fake((request) => {
      request.socket.destroy();
      attempts += 1;
      if (attempts === 2) setImmediate(() => refused.abort(reason));
    });
    const follow = async (): Promise<void> => {
      for await (const _ of createClient({ baseUrl }).workflow('gated').follow('e', { signal: refused.signal })) void _;
    };
    await expect(follow()).rejects.toBe(reason);
  });

  it('are not followed again after an answer that stays the same', async () => {
    const { origin } = await serve();
    const follow = createClient({ baseUrl: origin }).workflow('gated').follow('unknown').next();
    await expect(follow).rejects.toThrow(NotFoundError);
    await expect(follow).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
  });
});

describe('a start whose answer is lost', () => {
  it('is sent again, and starts one execution', async () => {
    reset();
    const { origin } = await serve();
    let starts = 0;
    const baseUrl = await fake((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        starts += 1;
        const isLost = starts === 1;
        const { method = '', url = '' } = request;
        const headers = { 'content-type': 'application/json' };
        fetch(origin + url, { method, headers, body: Buffer.concat(parts) }).then(
          async (answer) => {
            if (isLost) return request.socket.destroy();
            response.writeHead(answer.status, Object.fromEntries(answer.headers));
            return response.end(await answer.text());
          },
          () => response.destroy(),
        );
      });
    });

    const execution = await createClient({ baseUrl }).workflow('gated').start(items);

    expect(starts).toBe(2);
    const listed = await createClient({ baseUrl: origin }).workflow('gated').list();
    expect(listed.executions.map(({ id }) => id)).toEqual([execution.executionId]);
  });
});

describe('a resumable chat', () => {
  it('continues when the connection breaks, from the start of its message', async () => {
    const gate = new Gate();
    const memory = createMemory();
    const model = scriptedModel(async () => {
      await gate.opened;
      return 'Here is the whole answer.';
    });
    const { origin } = await serve({ agents: [new Agent({ id: 'slow', model, memory })] });
    const proxy = await proxyTo(() => origin);
    const slow = createClient({ baseUrl: proxy.origin }).agent('slow');
    const types: string[] = [];
    let text = '';

    for await (const chunk of slow.chat('Hi', { userId: 'ada', conversationId: 'c', resumable: true })) {
      types.push(chunk.type);
      if (chunk.type === 'start') text = '';
      if (chunk.type === 'text-delta' && 'delta' in chunk) text += chunk.delta;
      if (chunk.type !== 'start') continue;
      // The answer goes on once the client is connected again.
      if (types.length === 1) proxy.cut();
      else gate.open();
    }

    expect(types.filter((type) => type === 'start')).toHaveLength(2);
    expect(text).toBe('Here is the whole answer.');
    expect(types.at(-1)).toBe('finish');
  });

  it('ends with an error where the answer is not resumable', async () => {
    const gate = new Gate();
    const model = scriptedModel(async () => {
      await gate.opened;
      return 'Never read.';
    });
    const { origin } = await serve({ agents: [new Agent({ id: 'slow', model, memory: createMemory() })] });
    const proxy = await proxyTo(() => origin);
    const slow = createClient({ baseUrl: proxy.origin }).agent('slow');
    const read = async (): Promise<void> => {
      for await (const { type } of slow.chat('Hi', { userId: 'ada', conversationId: 'c' }))
        if (type === 'start') proxy.cut();
    };
    await expect(read()).rejects.toThrow(ConnectionError);
    gate.open();
  });
});

describe('answers', () => {
  const json = { 'content-type': 'application/json' };
  const success = JSON.stringify({ success: true, data: { text: 'Hello.' } });

  it('of a proxy are told from those of the server', async () => {
    const page = '<html><body>502 Bad Gateway</body></html>';
    const status = { value: 502 };
    const baseUrl = await fake((_, response) => {
      response.writeHead(status.value, { 'content-type': 'text/html' }).end(page);
    });
    const text = (): Promise<unknown> => createClient({ baseUrl }).agent('a').text('Hi');
    await expect(text()).rejects.toThrow(UnexpectedReplyError);
    await expect(text()).rejects.toMatchObject({ status: 502, body: page });
    // Such as the page of a hotel's network.
    status.value = 200;
    await expect(text()).rejects.toMatchObject({ name: 'UnexpectedReplyError', status: 200 });
  });

  it('that are no JSON although they claim it are told too', async () => {
    const baseUrl = await fake((_, response) => response.writeHead(502, json).end('{"success":fal'));
    await expect(createClient({ baseUrl }).agent('a').text('Hi')).rejects.toThrow(UnexpectedReplyError);
    const cut = await fake((_, response) => response.writeHead(200, json).end('{"success":tr'));
    await expect(createClient({ baseUrl: cut }).agent('a').text('Hi')).rejects.toThrow(UnexpectedReplyError);
  });

  it('of an event stream that are no JSON end the iteration', async () => {
    const baseUrl = await fake((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: nonsense\n\n'),
    );
    await expect(createClient({ baseUrl }).agent('a').stream('Hi').next()).rejects.toThrow(UnexpectedReplyError);
  });

  it('that ask to wait are waited for, if nothing was begun', async () => {
    let calls = 0;
    const codes = ['RATE_LIMITED', 'OVERLOADED'];
    const baseUrl = await fake((_, response) => {
      const code = codes[calls];
      calls += 1;
      if (code === undefined) return response.writeHead(200, json).end(success);
      return response
        .writeHead(code === 'OVERLOADED' ? 503 : 429, { ...json, 'x-error-code': code, 'retry-after': '1' })
        .end('{"success":false,"error":"Wait"}');
    });
    expect(await createClient({ baseUrl }).agent('a').text('Hi')).toMatchObject({ text: 'Hello.' });
    expect(calls).toBe(3);
  });

  it('that ask to wait longer, or may have begun something, are left to the caller', async () => {
    let calls = 0;
    const answer = { status: 429, code: 'TOO_MANY_STREAMS', wait: '3600' };
    const baseUrl = await fake((_, response) => {
      calls += 1;
      response
        .writeHead(answer.status, {
          ...json,
          'x-error-code': answer.code,
          'retry-after': answer.wait,
          'x-request-id': 'r1',
        })
        .end('{"success":false,"error":"Wait"}');
    });
    const { agent } = createClient({ baseUrl });
    const limited = agent('a').text('Hi');
    await expect(limited).rejects.toThrow(RateLimitedError);
    await expect(limited).rejects.toMatchObject({ retryAfterMs: 3_600_000, requestId: 'r1', message: 'Wait' });
    Object.assign(answer, { status: 503, code: 'STILL_RUNNING', wait: '1' });
    await expect(agent('a').text('Hi')).rejects.toThrow(UnavailableError);
    Object.assign(answer, { status: 403, code: 'A_CODE_OF_THE_APP', wait: '0' });
    await expect(agent('a').text('Hi')).rejects.toThrow(ForbiddenError);
    expect(calls).toBe(3);
  });

  it('that do not come are an error, at once where the request may have arrived', async () => {
    let calls = 0;
    const baseUrl = await fake((request) => {
      calls += 1;
      request.socket.destroy();
    });
    await expect(createClient({ baseUrl }).agent('a').text('Hi')).rejects.toThrow(ConnectionError);
    expect(calls).toBe(1);
    await expect(createClient({ baseUrl, retries: 1 }).approvals.list()).rejects.toThrow(ConnectionError);
    expect(calls).toBe(3);
  });

  it('of which the body breaks off are an error', async () => {
    const baseUrl = await fake((_, response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' });
      response.write('{"success":true', () => response.socket?.end());
    });
    await expect(createClient({ baseUrl }).agent('a').text('Hi')).rejects.toThrow(ConnectionError);
  });
});
