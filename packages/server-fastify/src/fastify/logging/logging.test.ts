import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineRoute } from '../../define/define-route.ts';
import type { ServerOptions } from '../../server-options.ts';
import { endpoint, json, serve, type Served } from '../../testing/serve.ts';
import { halyard } from '../halyard.ts';

let server: Served;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

type Line = Record<string, unknown>;

/** A logger that records its lines. */
function recordingLogger(options: object = {}): {
  readonly logger: NonNullable<ServerOptions['logger']>;
  readonly lines: Line[];
} {
  const lines: Line[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  return { logger: { level: 'info', stream, ...options }, lines };
}

const route = (url: string, act: (log: { info(fields: object, message: string): void }) => void) =>
  defineRoute({
    ...endpoint,
    method: 'POST',
    url,
    operationId: 'act',
    params: Type.Object({}, { additionalProperties: true }),
    body: Type.Unsafe<unknown>({}),
    data: Type.Null(),
    handler: (_call, { agentServices }) => {
      act(agentServices.logger);
      return null;
    },
  });

const answered = (lines: readonly Line[]): Line[] => lines.filter(({ msg }) => msg === 'request answered');

/** The line is written with the last byte of the reply. The client may receive that byte first. */
const lineOf = async (lines: readonly Line[]): Promise<Line | undefined> => {
  await expect.poll(() => answered(lines)).toHaveLength(1);
  return answered(lines)[0];
};

describe('the log line of a request', () => {
  it('is one per request, with method, route and status', async () => {
    const { lines, logger } = recordingLogger();
    server = await serve([], { logger });
    await fetch(`${server.origin}/agents/unknown?key=secret`, { headers: { 'x-request-id': 'r1' } });
    expect(await lineOf(lines)).toMatchObject({
      level: 30,
      method: 'GET',
      route: '/agents/:id',
      url: '/agents/unknown?key',
      status: 404,
      durationMs: expect.any(Number),
      remoteAddress: '127.0.0.1',
      requestId: 'r1',
      agentId: 'unknown',
    });
    expect(lines.filter(({ requestId }) => requestId === 'r1')).toHaveLength(1);
  });

  it('names the user, the conversation, the execution and the trace', async () => {
    const { lines, logger } = recordingLogger();
    server = await serve([route('/workflows/:id/x/:executionId', () => {})], { logger });
    const [traceId, spanId] = ['1'.repeat(32), '2'.repeat(16)];
    const body = json({ options: { userId: 'ada', memory: { conversationId: 'c' } } });
    const headers = { ...body.headers, traceparent: `00-${traceId}-${spanId}-01` };
    await fetch(`${server.origin}/workflows/w/x/e1`, { ...body, headers });
    const about = { workflowId: 'w', executionId: 'e1', conversationId: 'c', userId: 'ada', traceId, spanId };
    expect(await lineOf(lines)).toMatchObject(about);
  });

  it('names the verified user, not the one in the request', async () => {
    const { lines, logger } = recordingLogger();
    server = await serve([route('/x', () => {})], { logger, userOf: () => ({ id: 'eve' }) });
    await fetch(`${server.origin}/x`, json({ userId: 'ada' }));
    expect(await lineOf(lines)).toMatchObject({ userId: 'eve' });
  });

  describe('with `auth`', () => {
    const provider = { type: 'fake', verifyToken: (token: string) => (token === 'eve' ? { id: 'eve' } : null) };
    const lineFor = async (path: string, headers: Record<string, string>): Promise<Line | undefined> => {
      const { lines, logger } = recordingLogger();
      server = await serve([], { logger, auth: { provider, consoleKey: 'console-key' }, secret: 'x'.repeat(32) });
      await fetch(`${server.origin}${path}?userId=ada`, { headers });
      return lineOf(lines);
    };

    it.each([
      ['a caller without a valid token', '/api/memory/conversations', { authorization: 'Bearer guessed' }, 401],
      ['an operator', '/observability/traces', { 'x-console-access-key': 'console-key' }, 200],
    ])('is not a line of the user whom %s names', async (_who, path, headers, status) => {
      const line = await lineFor(path, headers);
      expect(line).toMatchObject({ status, namedUserId: 'ada' });
      expect(line).not.toHaveProperty('userId');
    });

    it('is a line of the verified user, also if the request names another one', async () => {
      const line = await lineFor('/api/memory/conversations', { authorization: 'Bearer eve' });
      expect(line).toMatchObject({ status: 403, userId: 'eve', namedUserId: 'ada' });
    });
  });

  it.each([
    ['a trusted proxy reports', 'loopback', '203.0.113.7'],
    ['a caller invents', undefined, '127.0.0.1'],
  ])('has the address of the caller, also if %s another one', async (_who, trustProxy, remoteAddress) => {
    const { lines, logger } = recordingLogger();
    server = await serve([], { logger, ...(trustProxy !== undefined && { trustProxy }) });
    await fetch(`${server.origin}/agents`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(await lineOf(lines)).toMatchObject({ remoteAddress });
  });

  it('is written for unknown routes too', async () => {
    const { lines, logger } = recordingLogger();
    server = await serve([], { logger });
    await fetch(`${server.origin}/nowhere`);
    expect(await lineOf(lines)).toMatchObject({ url: '/nowhere', status: 404 });
  });

  it('is neither written nor created above level info', async () => {
    const { lines, logger } = recordingLogger({ level: 'warn' });
    const userOf = vi.fn<() => undefined>();
    server = await serve([], { logger, userOf });
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    await server.close();
    expect([lines, userOf.mock.calls]).toEqual([[], []]);
  });
});

describe('the level of the log', () => {
  it.each([
    ['development', 'info'],
    ['production', 'warn'],
    ['test', 'warn'],
  ])('with NODE_ENV %s is %s', async (environment, level) => {
    vi.stubEnv('NODE_ENV', environment);
    const { logger } = recordingLogger({ level: undefined });
    const { level: _, ...rest } = logger as { readonly level?: string };
    server = await serve([], { logger: rest, secret: 'x'.repeat(32) });
    expect(server.app.log.level).toBe(level);
  });
});

describe('recorded lines', () => {
  const recorded = async (path = '/api/logs'): Promise<Line[]> => {
    const reply = await fetch(`${server.origin}${path}`);
    return ((await reply.json()) as { readonly data: Line[] }).data;
  };

  it('are redacted like written lines', async () => {
    const { logger } = recordingLogger();
    const headers = { authorization: 'Bearer secret', 'x-console-access-key': 'secret' };
    const act = route('/x', (log) => log.info({ headers, req: undefined }, 'headers'));
    server = await serve([act], { logger });
    await fetch(`${server.origin}/x?token=secret`, json({}));
    const lines = await recorded();
    expect(lines.find(({ msg }) => msg === 'headers')).toMatchObject({ headers: { authorization: '[redacted]' } });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('are only those of Halyard, redacted, in an app that uses the plugin', async () => {
    const lines: Line[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
    const app = Fastify({ pluginTimeout: 0, logger: { level: 'info', stream } });
    const tool = createTool({
      name: 'notify',
      description: 'Logs',
      input: Type.Object({}),
      execute: (_input, { logger }) => {
        logger.debug({}, 'not logged');
        logger.info({ headers: { authorization: 'secret' }, agentId: 'a' }, 'logged');
        return 'done';
      },
    });
    await app.register(halyard, { tools: [tool], enableSwaggerUI: false });
    await app.inject({ url: '/tools/notify/execute', method: 'POST', payload: { input: {} } });
    const reply = await app.inject({ url: '/api/logs' });
    await app.close();
    expect(lines.filter(({ msg }) => msg === 'logged')).toHaveLength(1);
    expect(reply.json<{ data: Line[] }>().data.filter(({ level }) => level !== 'warn')).toEqual([
      expect.objectContaining({ msg: 'logged', agentId: 'a', headers: { authorization: '[redacted]' } }),
    ]);
  });

  it('have the ids of the active span, unless they have their own', async () => {
    const { logger, lines } = recordingLogger();
    const parent = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
    server = await serve(
      [
        defineRoute({
          ...endpoint,
          method: 'POST',
          url: '/x',
          operationId: 'act',
          data: Type.Null(),
          handler: (_call, { agentServices: { logger: log, recorder } }) => {
            const span = recorder?.start({ name: 'x', parent });
            span?.run(() => {
              log.info({}, 'in the span');
              log.info({ traceId: '3', spanId: '4' }, 'of another');
            });
            span?.end();
            return null;
          },
        }),
      ],
      { logger },
    );
    await fetch(`${server.origin}/x`, { method: 'POST' });
    expect(lines.find(({ msg }) => msg === 'in the span')).toMatchObject({
      traceId: parent.traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(lines.find(({ msg }) => msg === 'of another')).toMatchObject({ traceId: '3', spanId: '4' });
  });
});
