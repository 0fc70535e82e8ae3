import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addConsole, addMissingConsole } from './console.ts';

let app: FastifyInstance;
let folder: string;
beforeEach(async () => {
  app = Fastify();
  folder = await mkdtemp(join(tmpdir(), 'halyard-console-'));
});
afterEach(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

describe('the page of the console', () => {
  it('says that it is not built and reloads itself until it is', async () => {
    const addressFor = () => ({ base: '/ai', root: '', url: '', documented: '' });
    await addConsole(app, folder, { addressFor });
    const unbuilt = await app.inject('/console/agents');
    expect(unbuilt.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(unbuilt.headers['cache-control']).toBe('no-store');
    expect(unbuilt.body).toContain('The console is not built yet');
    expect(unbuilt.body).toContain('<meta http-equiv="refresh" content="2" />');

    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'assets/main.js'), 'start()');
    await writeFile(join(folder, 'index.html'), '<base href="/" />');
    expect((await app.inject('/console/agents')).body).toBe('<base href="/ai/console/" />');
    expect((await app.inject('/console/assets/main.js')).body).toBe('start()');
  });

  it('says how to install it', async () => {
    addMissingConsole(app);
    const page = await app.inject({ url: '/console/agents', headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.statusCode).toBe(404);
    expect(page.body).toContain('npm install @halyard/console');
    const program = await app.inject('/console');
    expect(program.statusCode).toBe(404);
    expect(program.headers['x-error-code']).toBe('ROUTE_NOT_FOUND');
    expect(program.json()).toMatchObject({ error: 'The console is not installed: npm install @halyard/console' });
  });
});
