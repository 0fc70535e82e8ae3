import { once } from 'node:events';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { missing, type ProxyProgram, type RunningProxy, runProxy } from './run-proxy.ts';

export interface ProxyCase extends Omit<ProxyProgram, 'configure'> {
  readonly name: string;
  /** The path of the server at the proxy, without a slash at its end. */
  readonly path: string;
  readonly options?: ServerOptions;
  /** @param upstream host and port of the server. */
  readonly configure: (upstream: string, port: number, folder: string) => string;
}

const json = { 'content-type': 'application/json' };
const mebibyte = 1024 * 1024;

/**
 * The requests and streams that must work through a proxy that is configured as docs/proxies.md
 * says.
 */
export function testProxy({ name, path, options, configure, ...program }: ProxyCase): void {
  const problem = missing(program.program);

  describe.skipIf(problem !== undefined)(`${name}${problem === undefined ? '' : `: skipped, ${problem}`}`, () => {
    let gate: PromiseWithResolvers<void>;
    let aborted: PromiseWithResolvers<void>;
    let server: HalyardServer;
    let proxy: RunningProxy;
    let connections = 0;
    let url: string;
    beforeEach(() => {
      gate = Promise.withResolvers();
      aborted = Promise.withResolvers();
    });
    afterEach(() => gate.resolve());

    beforeAll(async () => {
      // In development, a server without `auth` refuses requests of proxies.
      vi.stubEnv('NODE_ENV', 'production');
      const gated = createWorkflow({ id: 'gated', input: Type.Object({ text: Type.String() }) })
        .andThen({ id: 'first', execute: ({ data }) => data })
        .andThen({ id: 'second', execute: async () => gate.promise.then(() => 'ok') });
      const slow = createTool({
        name: 'slow',
        description: 'Waits until it is aborted',
        input: Type.Object({}),
        execute: async (_, { signal }) => {
          await once(signal, 'abort');
          aborted.resolve();
        },
      });
      server = await createServer({
        agents: [new Agent({ id: 'greeter', description: 'Greets', model: scriptedModel('Hello.') })],
        tools: [slow],
        workflows: [gated],
        memory: createMemory(),
        anonymousUserId: 'anyone',
        enableSwaggerUI: true,
        logger: false,
        signals: false,
        trustProxy: 'loopback',
        // The server shares the process with the tests.
        limits: { eventLoopDelayMs: 3_600_000 },
        ...options,
      });
      server.app.server.on('connection', () => {
        connections += 1;
      });
      const origin = await server.listen({ port: 0, host: '127.0.0.1' });
      const { host } = new URL(origin);
      proxy = await runProxy({ ...program, configure: (port, folder) => configure(host, port, folder) });
      url = `${proxy.origin}${path}`;
    });
    afterAll(async () => {
      await proxy?.stop();
      await server?.close();
      vi.unstubAllEnvs();
    });

    const post = async (route: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
      fetch(`${url}${route}`, { method: 'POST', headers: json, body: JSON.stringify(body), ...init });

    it('passes the events of a stream on as they occur', async () => {
      const reply = await post('/workflows/gated/stream', { input: { text: 'a' } });
      let text = '';
      for await (const part of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        // The execution ends only after its first events have arrived.
        if (text.includes('"from":"first"')) gate.resolve();
      }
      expect(text).toContain('"type":"workflow-result"');
    });

    it('reuses its connections to the server', async () => {
      const before = connections;
      for (let count = 0; count < 5; count += 1) await (await fetch(`${url}/agents`)).text();
      expect(connections - before).toBeLessThanOrEqual(1);
    });

    it('opens the WebSockets of browsers', async () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
      const message = await new Promise((resolve, reject) => {
        socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))));
        socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
      });
      socket.close();
      expect(message).toMatchObject({ type: 'CONNECTION_TEST', success: true });
    });

    it('passes photos on, and the refusal of those that are too large', async () => {
      const photo = (bytes: number) => ({
        input: [
          {
            role: 'user',
            parts: [{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(bytes)}` }],
          },
        ],
      });
      expect((await post('/agents/greeter/text', photo(4 * mebibyte))).status).toBe(200);
      const chunked = { body: new Blob([JSON.stringify(photo(9 * mebibyte))]).stream(), duplex: 'half' };
      for (const init of [{}, chunked]) {
        const refused = await post('/agents/greeter/text', photo(9 * mebibyte), init);
        expect([refused.status, refused.headers.get('x-error-code')]).toEqual([413, 'BODY_TOO_LARGE']);
        expect(await refused.json()).toMatchObject({ success: false });
      }
    });

    it.each(['auth0|5', 'org/7', '/a', 'a//b', 'a%2Fb', 'a b+c', '用户'])(
      'does not decode the id %j',
      async (userId) => {
        const created = await post('/api/memory/conversations', { userId });
        expect(created.status).toBe(201);
        const exported = await fetch(`${url}/api/memory/users/${encodeURIComponent(userId)}/export`);
        expect(await exported.text()).toContain(`"userId":${JSON.stringify(userId)}`);
      },
    );

    it('is the address in cards, and leads to all files of the pages', async () => {
      expect(await (await fetch(`${url}/agents/greeter/card`)).text()).toContain(`"documentationUrl":"${url}/doc"`);
      for (const page of ['/', '/ui']) {
        const text = await (await fetch(`${url}${page}`)).text();
        const files = [...text.matchAll(/<(?:script|link)\s[^>]*?(?:href|src)="(\/[^"]*)"/g)].map(([, file]) => file);
        for (const file of files) expect([file, (await fetch(`${proxy.origin}${file}`)).status]).toEqual([file, 200]);
      }
    });

    it('tells the server that a client has left', async () => {
      const controller = new AbortController();
      const reply = post('/tools/slow/execute', { input: {} }, { signal: controller.signal });
      const isRunning = async (): Promise<boolean> =>
        (await (await fetch(`${url}/observability/traces?status=running`)).text()).includes('"slow"');
      await expect.poll(isRunning).toBe(true);
      controller.abort();
      await expect(reply).rejects.toThrow('aborted');
      await aborted.promise;
    });
  });
}
