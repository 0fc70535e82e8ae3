import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { halyard } from './index.ts';
import { json } from './testing/serve.ts';

it('closes in a real process on SIGTERM', async () => {
  const entry = new URL('./index.ts', import.meta.url);
  const script = `import { createServer } from ${JSON.stringify(entry.href)};
    const server = await createServer({ logger: false, enableSwaggerUI: false });
    console.log(await server.listen({ port: 0 }));`;
  const child = spawn(process.execPath, ['--conditions=@halyard/source', '--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  expect((await fetch(`${String(line).trim()}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

describe('an error that nobody handles', () => {
  /**
   * Starts a process whose server has a route that causes the error, and one that replies after it.
   */
  async function start(
    before: string,
  ): Promise<{ readonly child: ReturnType<typeof spawn>; readonly origin: string; readonly output: () => string }> {
    const entry = new URL('./index.ts', import.meta.url);
    const script = `import { createServer } from ${JSON.stringify(entry.href)};
      ${before}
      const server = await createServer({ logger: 'fatal', enableSwaggerUI: false });
      server.app.get('/causes-it', async () => {
        void Promise.reject(new RangeError('stray'));
        await new Promise(setImmediate);
        return 'answered';
      });
      console.log(await server.listen({ port: 0 }));`;
    const child = spawn(process.execPath, ['--conditions=@halyard/source', '--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const started = Promise.withResolvers<void>();
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      started.resolve();
    });
    await started.promise;
    return { child, origin: output.trim(), output: () => output };
  }

  it('is logged, and ends the process after the running requests', async () => {
    const { child, origin, output } = await start('');
    const exit = once(child, 'exit');
    expect(await (await fetch(`${origin}/causes-it`)).text()).toBe('answered');
    expect(await exit).toEqual([1, null]);
    expect(output()).toContain('Nothing handles this error (unhandledRejection)');
    expect(output()).toContain('stray');
  });

  it('is left to the app that handles it', async () => {
    const { child, origin, output } = await start(
      "process.on('unhandledRejection', (error) => console.log(`app: ${error.message}`));",
    );
    expect(await (await fetch(`${origin}/causes-it`)).text()).toBe('answered');
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).toContain('app: stray');
    expect(output()).not.toContain('Nothing handles');
  });
});

it('ends running work cleanly in an app whose time for hooks is shorter than the grace period', async () => {
  const app = Fastify({ pluginTimeout: 8_000 });
  await app.register(halyard, {
    agents: [new Agent({ id: 'a', model: scriptedModel({ hangs: true }) })],
    limits: { shutdownGraceMs: 60_000 },
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const response = await fetch(`${origin}/agents/a/stream`, json({ input: 'hi' }));
  // Five seconds: the time for hooks, less that for the last writes.
  const [text] = await Promise.all([response.text(), app.close()]);
  expect(text).toMatch(/data: {"type":"error","error":"The server is shutting down"}\n\n$/);
});
