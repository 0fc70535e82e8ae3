import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError, type Storage } from '@halyard/contracts';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import Fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServer } from './create-server.ts';
import { halyard } from './index.ts';
import { onStopSignal } from './runtime/lifecycle/stop-signals.ts';
import { json, serve } from './testing/serve.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  vi.unstubAllEnvs();
});

function agent(id: string, description = 'For tests'): Agent {
  return new Agent({ id, description, model: scriptedModel('ok') });
}

async function served(...args: Parameters<typeof serve>): ReturnType<typeof serve> {
  const server = await serve(...args);
  closing.push(server.close);
  return server;
}

describe('listening', () => {
  it('returns the address, which is local except in production', async () => {
    const { origin } = await served();
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    vi.stubEnv('NODE_ENV', 'production');
    const production = await served([], { secret: 'x'.repeat(32) });
    expect(production.app.addresses()[0]).toMatchObject({ address: '0.0.0.0' });
  });

  it('names the port that is in use', async () => {
    const { port } = await served();
    const second = await createServer({ port, logger: false });
    closing.push(second.close);
    await expect(second.listen()).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  it('refuses invalid options', async () => {
    await expect(createServer({ agents: [agent('a'), agent('a')] })).rejects.toThrow('Two agents have the id "a"');
    await expect(createServer({ secret: [] })).rejects.toThrow('`secret`');
  });
});

describe('closing', () => {
  it('leaves no listener behind, however often it is called', async () => {
    const before = process.listenerCount('SIGTERM');
    const server = await createServer({ logger: false });
    await server.listen({ port: 0 });
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('closes the default storage, but not a storage of the app', async () => {
    const close = vi.fn<() => Promise<void>>(async () => {});
    const server = await serve([], { storage: { ...createInMemoryStorage(), close } });
    await server.close();
    expect(close).not.toHaveBeenCalled();
  });

  it('ends the process on a signal, and at once on a second one', async () => {
    const listeners = new Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>();
    const exit = vi.fn<(code: number) => void>();
    const { promise: closed, resolve: finish } = Promise.withResolvers<void>();
    const close = vi.fn<() => Promise<void>>(() => closed);
    const stop = onStopSignal(close, {
      on: (name, listener) => listeners.set(name, listener),
      off: (name) => listeners.delete(name),
      exit,
    });
    listeners.get('SIGTERM')?.('SIGTERM');
    expect([close.mock.calls.length, exit.mock.calls.length]).toEqual([1, 0]);
    listeners.get('SIGINT')?.('SIGINT');
    expect(exit.mock.calls).toEqual([[130]]);
    finish();
    await expect.poll(() => exit).toHaveBeenLastCalledWith(0);
    stop();
    expect(listeners.size).toBe(0);
  });
});

describe('health', () => {
  const storageThat = (check: Storage['check']): Storage => ({ ...createInMemoryStorage(), check });

  const without = (problem: string): object => ({ status: 'unavailable', unavailable: [{ part: 'storage', problem }] });

  it.each<[string, Storage, number, object]>([
    ['ready', storageThat(async () => {}), 200, { status: 'ready' }],
    ['away', storageThat(async () => Promise.reject(new Error('no'))), 503, without('unreachable')],
    ['silent', storageThat(() => new Promise(() => {})), 503, without('silent')],
    [
      'misconfigured',
      storageThat(async () => Promise.reject(new ConfigurationError('Run the migrations'))),
      503,
      without('misconfigured'),
    ],
  ])('is plain text that reports whether the storage responds: %s', async (_, storage, status, answer) => {
    // The others answer at once, and the limit of a test server cannot be reached.
    const limits = status === 503 && isDeepStrictEqual(answer, without('silent')) ? { readinessMs: 10 } : {};
    const { origin } = await served([], { storage, limits });
    const ready = await fetch(`${origin}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([status, answer]);
    expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' });
  });
});

describe('CORS', () => {
  it('is off by default', async () => {
    const { origin } = await served();
    const response = await fetch(`${origin}/agents`, { headers: { origin: 'https://app.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers preflights for every method of the API', async () => {
    const { origin } = await served([], { cors: { origin: ['https://app.example'] } });
    const response = await fetch(`${origin}/agents`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'DELETE' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toContain('DELETE');
    expect(response.headers.get('access-control-max-age')).toBe('7200');
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });
});

describe('the explorer', () => {
  it('loads its files from this server only', async () => {
    const { origin } = await served([], { enableSwaggerUI: true });
    const page = await (await fetch(`${origin}/ui`)).text();
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await fetch(new URL(link, `${origin}/ui`))).status).toBe(200);
    const initializer = await (await fetch(`${origin}/ui/static/swagger-initializer.js`)).text();
    expect(initializer).toContain('validatorUrl: null');
    expect(initializer).toContain('history.replaceState');
    expect(await (await fetch(`${origin}/ui/json`)).json()).toEqual(await (await fetch(`${origin}/doc`)).json());
  });

  it('is off in production by default', async () => {
    vi.stubEnv('NODE_ENV', 'Production ');
    const server = await createServer({ logger: false, secret: 'x'.repeat(32) });
    closing.push(server.close);
    expect((await server.app.inject('/ui')).statusCode).toBe(404);
    expect((await server.app.inject('/')).body).not.toContain('/ui');
  });
});

describe('the plugin', () => {
  it('serves under a prefix and does not affect the rest of the app', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    await app.register(halyard, { agents: [agent('a')], prefix: '/ai', enableSwaggerUI: true });
    app.get('/own', () => {
      throw new Error('own failure');
    });
    app.post('/text', (request) => request.body);
    closing.push(() => app.close());
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const ask = async (path: string, init?: RequestInit): Promise<unknown> =>
      (await fetch(`${origin}${path}`, init)).json();

    expect(await ask('/ai/agents')).toMatchObject({ success: true, data: [{ id: 'a' }] });
    expect(await ask('/ai/agents/b')).toEqual({ success: false, error: 'Agent not found: b' });
    expect(await ask('/ai/tools/x/execute', json('{'))).toEqual({ success: false, error: 'body is not valid JSON' });
    expect(await ask('/own')).toMatchObject({ message: 'own failure', statusCode: 500 });
    expect(await (await fetch(`${origin}/text`, { method: 'POST', body: 'plain' })).text()).toBe('plain');
    const document = await ask('/ai/doc');
    expect(document).toMatchObject({ paths: { '/ai/agents/{id}': {}, '/ai/ui': {} } });
    expect(await (await fetch(`${origin}/ai/`)).text()).toContain('href="/ai/ui"');
  });

  it('ends its streams when the app closes', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    await app.register(halyard, {
      agents: [new Agent({ id: 'a', model: scriptedModel({ hangs: true }) })],
      limits: { shutdownGraceMs: 10 },
    });
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${origin}/agents/a/stream`, json({ input: 'hi' }));
    const [text] = await Promise.all([response.text(), app.close()]);
    expect(text).toMatch(/data: {"type":"error","error":"The server is shutting down"}\n\n$/);
  });
});

describe('the time that Fastify gives hooks', () => {
  it('is longer than the grace period of a server', async () => {
    for (const limits of [{}, { shutdownGraceMs: 300_000 }]) {
      const { app } = await createServer({ limits, logger: false });
      closing.push(() => app.close());
      expect(app.initialConfig.pluginTimeout).toBeGreaterThan(30_000 + (limits.shutdownGraceMs ?? 25_000));
    }
  });
});
