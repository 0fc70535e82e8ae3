import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMemory, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppFolder, ending, untilOutput } from './testing/app-folder.ts';

let app: AppFolder;
beforeEach(() => {
  app = new AppFolder();
  app.write('package.json', JSON.stringify({ type: 'module', dependencies: { '@halyard/core': '*' } }));
});
afterEach(() => app.remove());

describe('the command line', () => {
  it('shows its commands and their options, with examples', async () => {
    const { code, stdout } = await app.run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('130 interrupted (dev: 0).');
    for (const name of ['dev', 'doctor', 'migrate', 'openapi', 'export', 'delete', 'terminate', 'retention', 'restate'])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect((await app.run(['migrate', 'up', '--help'])).stdout).toMatch(
      /--dimensions[^]*Examples:\n  halyard migrate up/,
    );
  });

  it.each([
    { args: ['doctor', '--jsno'], said: "unknown option '--jsno'\n(Did you mean --json?)" },
    { args: ['migrat'], said: "unknown command 'migrat'\n(Did you mean migrate?)" },
    { args: ['export'], said: "missing required argument 'userId'" },
    { args: ['migrate', 'up', '--dimensions', 'x'], said: 'It must be a whole number above 0.' },
    { args: ['retention', '--only', 'users'], said: 'Allowed choices are executions, telemetry.' },
    {
      args: ['retention', '--older-than', 'soon', '--database-url', 'postgres://127.0.0.1:1/x'],
      said: '"soon" is not a duration',
    },
    { args: ['dev', 'src/none.ts'], said: 'src/none.ts does not exist.' },
    { args: ['delete', 'ada'], said: 'Pass --yes' },
  ])('refuses $args with exit code 2', async ({ args, said }) => {
    const { code, stderr, stdout } = await app.run(args);
    expect(stderr).toContain(said);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('says an error in one sentence with the fix, and shows the stack if it is asked to', async () => {
    const args = ['migrate', 'status', '--database-url', 'postgres://ada:secret@127.0.0.1:1/shop'];
    const { code, stderr } = await app.run(args);
    expect(code).toBe(1);
    expect(stderr).toBe(`✗ postgres://ada@127.0.0.1:1/shop does not answer: connect ECONNREFUSED 127.0.0.1:1.
  Start the database, or correct DATABASE_URL or --database-url
`);
    expect((await app.run([...args, '--verbose'])).stderr).toMatch(/\n {4}at .*Caused by Error: connect/s);
    expect((await app.run(args, { DEBUG: '1' })).stderr).toMatch(/\n {4}at /);
  });

  it('refuses to undo migrations, and says what to do instead', async () => {
    const { code, stderr } = await app.run(['migrate', 'down']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be undone[^]*Deploy the older version[^]*restore the backup/);
  });

  it('names the package that a command lacks', async () => {
    const empty = new AppFolder({ hasPackages: false });
    try {
      empty.write('pnpm-lock.yaml', '');
      const { stderr } = await empty.run(['migrate', 'status', '--database-url', 'postgres://127.0.0.1:1/x']);
      expect(stderr).toContain('needs the package @halyard/memory-postgres');
      expect(stderr).toContain('pnpm add @halyard/memory-postgres');
    } finally {
      empty.remove();
    }
  });

  it('reads .env', async () => {
    app.write('.env', 'DATABASE_URL=postgres://127.0.0.1:1/from_env\n');
    const child = await app.run(['migrate', 'status'], { DATABASE_URL: undefined });
    expect(child.stderr).toContain('postgres://127.0.0.1:1/from_env does not answer');
  });
});

const main = `
import { createServer } from '@halyard/server-fastify';
const server = await createServer({ logger: false, prefix: '/api' });
server.app.get('/own', () => 'ok');
await server.listen();
`;

describe('dev', () => {
  it('prints the links, survives a crash, restarts when a file changes, and closes everything', async () => {
    app.write('src/main.ts', main);
    const child = app.start(['dev'], { PORT: '0' });
    const ended = once(child, 'exit');
    try {
      const output = await untilOutput(child, '/api/healthz');
      const [, health] = /Health +(\S+)/.exec(output) ?? [];
      expect(output).toContain('/api/console');
      expect(output).toContain('/api/ui');
      expect((await fetch(health ?? '')).status).toBe(200);

      const crashed = untilOutput(child, 'ended with code 1. It starts again when a file changes.');
      app.write('src/main.ts', 'throw new Error("broken on purpose");');
      expect(await crashed).toContain('broken on purpose');
      await expect(fetch(health ?? '')).rejects.toThrow('fetch failed');

      const again = untilOutput(child, '/api/healthz');
      app.write('src/main.ts', main);
      const [, next] = /Health +(\S+)/.exec(await again) ?? [];
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
      await expect(fetch(next ?? '')).rejects.toThrow('fetch failed');
    } finally {
      child.kill('SIGTERM');
    }
  });
});

describe('openapi', () => {
  it('writes the document of an app that it loads without listening, with the routes of the app', async () => {
    app.write('src/main.ts', main);
    // Somebody listens on the port already.
    const other = createHttpServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await app.run(['openapi', '--out', 'api.json'], { PORT: String(port) });
    other.close();
    expect(stderr).toMatch(/api\.json: \d+ paths/);
    expect(code).toBe(0);
    const { paths } = JSON.parse(readFileSync(join(app.path, 'api.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/own', '/api/healthz']));
  });

  it('shows why an app does not start, and writes nothing', async () => {
    app.write('src/main.ts', 'throw new Error("broken on purpose");');
    const { code, stderr } = await app.run(['openapi', '--out', 'api.json']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ended with code 1 before it started a server[^]*broken on purpose[^]*--url/);
    expect(readdirSync(app.path)).not.toContain('api.json');
  });
});

describe('export and delete', () => {
  const key = 'k'.repeat(32);
  const storage = createInMemoryStorage();
  let server: Awaited<ReturnType<typeof createServer>>;
  let url: string;
  beforeEach(async () => {
    server = await createServer({
      logger: false,
      storage,
      memory: createMemory({ storage }),
      // A busy machine does not reach it.
      limits: { eventLoopDelayMs: 1_000_000_000 },
      auth: {
        provider: { type: 'names', verifyToken: (token) => (token === 'token-of-ada' ? { id: 'ada' } : null) },
        consoleKey: key,
      },
    });
    url = await server.listen({ port: 0 });
    await storage.conversations.save(
      { user: 'ada' },
      {
        conversationId: 'ducks',
        create: { id: 'ducks', resourceId: 'assistant', userId: 'ada', title: 'Ducks', metadata: {} },
        messages: [{ id: 'first', role: 'user', parts: [{ type: 'text', text: 'Do they\nswim?' }] }],
      },
    );
  });
  afterEach(() => server.close());

  it('writes the records of a user to a file that only its owner reads', async () => {
    const { code, stderr } = await app.run(['export', 'ada', '--url', url], { SERVICE_CONSOLE_ACCESS_KEY: key });
    expect(stderr).toContain('ada.jsonl: 2 records');
    expect(code).toBe(0);
    const file = join(app.path, 'ada.jsonl');
    const records = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(records.map(({ type }) => type)).toEqual(['conversation', 'message']);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const again = await app.run(['export', 'ada', '--url', url], { SERVICE_CONSOLE_ACCESS_KEY: key });
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/ada\.jsonl exists\.\n.*--force/);
    const printed = await app.run(['export', 'ada', '--url', url, '--out', '-'], { SERVICE_CONSOLE_ACCESS_KEY: key });
    expect(printed.stdout).toBe(readFileSync(file, 'utf8'));
  });

  it('says which credential the server wants', async () => {
    const exported = await app.run(['export', 'ada', '--url', url], { SERVICE_CONSOLE_ACCESS_KEY: 'wrong' });
    expect(exported.code).toBe(1);
    expect(exported.stderr).toContain('Set SERVICE_CONSOLE_ACCESS_KEY');
    const deleted = await app.run(['delete', 'ada', '--yes', '--url', url], { HALYARD_TOKEN: 'wrong' });
    expect(deleted.stderr).toContain('Set HALYARD_TOKEN to a token of this user');
    expect(readdirSync(app.path)).not.toContain('ada.jsonl');
  });

  it('deletes the data of a user with a token of this user', async () => {
    const { code, stdout } = await app.run(['delete', 'ada', '--yes', '--url', url], { HALYARD_TOKEN: 'token-of-ada' });
    expect(stdout).toContain('Deleted: 1 conversation, 1 message, 0 executions');
    expect(code).toBe(0);
    expect(await storage.conversations.messages({ user: 'ada' }, 'ducks', { limit: 1 })).toBeUndefined();
  });

  it('sends no credentials to where the server redirects', async () => {
    const reached: unknown[] = [];
    const other = createHttpServer(({ headers }, response) => {
      reached.push(headers);
      response.end();
    }).listen(0, '127.0.0.1');
    const redirecting = createHttpServer((_request, response) => {
      const { port } = other.address() as AddressInfo;
      response.writeHead(307, { location: `http://localhost:${port}/` }).end();
    }).listen(0, '127.0.0.1');
    await Promise.all([once(other, 'listening'), once(redirecting, 'listening')]);
    const { port } = redirecting.address() as AddressInfo;
    const args = ['export', 'ada', '--url', `http://127.0.0.1:${port}`];
    const { code, stderr } = await app.run(args, { SERVICE_CONSOLE_ACCESS_KEY: key });
    other.close();
    redirecting.close();
    expect(stderr).toMatch(/redirects to http:\/\/localhost:\d+\/, where no credentials were sent/);
    expect({ code, reached }).toEqual({ code: 1, reached: [] });
  });

  it('does not repeat a password in the address', async () => {
    const { code, stderr } = await app.run(['export', 'ada', '--url', 'http://ada:hunter2@127.0.0.1:1']);
    expect(stderr).toContain('contains a name or a password');
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('replaces nothing that is not a file', async () => {
    app.write('folder/kept', '');
    const args = ['export', 'ada', '--url', url, '--out', 'folder', '--force'];
    const { code, stderr } = await app.run(args, { SERVICE_CONSOLE_ACCESS_KEY: key });
    expect(stderr).toContain('folder is not a file');
    expect(code).toBe(1);
    expect(readdirSync(app.path).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('says that no server answers', async () => {
    const { stderr } = await app.run(['export', 'ada', '--url', 'http://127.0.0.1:1']);
    expect(stderr).toMatch(/No server answers at http:\/\/127\.0\.0\.1:1[^]*--url/);
  });
});

describe('terminate', () => {
  const key = 'k'.repeat(32);
  const order = createWorkflow({ id: 'order' })
    .andThen({ id: 'pay', execute: () => 'paid', compensate: () => void undone.push('pay') })
    .andThen({ id: 'approve', execute: ({ suspend }) => suspend('Approve the order') });
  const undone: string[] = [];
  let server: Awaited<ReturnType<typeof createServer>>;
  let url: string;
  beforeEach(async () => {
    undone.length = 0;
    server = await createServer({
      logger: false,
      workflows: [order],
      limits: { eventLoopDelayMs: 1_000_000_000 },
      auth: {
        provider: { type: 'names', verifyToken: (token) => (token === 'token-of-ada' ? { id: 'ada' } : null) },
        consoleKey: key,
      },
    });
    url = await server.listen({ port: 0 });
  });
  afterEach(() => server.close());

  it('ends a waiting execution, and undoes no step', async () => {
    const started = await fetch(`${url}/workflows/order/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-ada' },
      body: JSON.stringify({ input: null, options: { executionId: 'e-1' } }),
    });
    expect(await started.json()).toMatchObject({ data: { status: 'suspended' } });
    const args = ['terminate', 'order', 'e-1', '--url', url, '--reason', 'Ordered twice'];
    const { code, stderr, stdout } = await app.run(args, { SERVICE_CONSOLE_ACCESS_KEY: key });
    const printed = '✓ e-1 is cancelled. No step was undone.\n';
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: printed });
    expect(undone).toEqual([]);
    const reply = await fetch(`${url}/workflows/order/executions/e-1/state`, {
      headers: { 'x-console-access-key': key },
    });
    expect(await reply.json()).toMatchObject({ data: { status: 'cancelled' } });
  });

  it('says that there is no such execution', async () => {
    const { code, stderr } = await app.run(['terminate', 'order', 'e-2', '--url', url], {
      SERVICE_CONSOLE_ACCESS_KEY: key,
    });
    expect(stderr).toContain('Execution not found: e-2.');
    expect(code).toBe(1);
  });
});

describe('an export that does not finish', () => {
  const frame = `data: ${JSON.stringify({ type: 'message', text: 'x'.repeat(1_000) })}\n\n`;
  let server: Server;
  let url: string;
  let end: 'never' | 'breaks' | 'fails' | 'hostile';
  beforeEach(async () => {
    server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame.repeat(100));
      if (end === 'breaks') setImmediate(() => response.destroy());
      if (end === 'hostile') {
        const error = 'do\u001B[2Jwn\u0007\u009B2J\nnow';
        response.end(`data: ${JSON.stringify({ type: 'error', error })}\n\n`);
      }
      if (end === 'fails') response.end('data: {"type":"error","error":"the database is down"}\n\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('leaves no file when it is interrupted', async () => {
    end = 'never';
    const child = app.start(['export', 'ada', '--url', url]);
    const ended = ending(child);
    await expect.poll(() => partialSize(), { timeout: 60_000 }).toBeGreaterThan(50_000);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('nothing was written') as string });
    expect(readdirSync(app.path).filter((name) => name.startsWith('ada'))).toEqual([]);
  });

  it('leaves no file under the final name when it is killed', async () => {
    end = 'never';
    const child = app.start(['export', 'ada', '--url', url]);
    const ended = ending(child);
    await expect.poll(() => partialSize(), { timeout: 60_000 }).toBeGreaterThan(50_000);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(join(app.path, 'ada.jsonl'))).toBe(false);
  });

  it('does not let the server command the terminal', async () => {
    end = 'hostile';
    const { stderr } = await app.run(['export', 'ada', '--url', url]);
    expect(stderr).toContain('could not finish the export: down\nnow');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each([
    { how: 'breaks', said: 'The connection to the server broke' },
    { how: 'fails', said: 'could not finish the export: the database is down' },
  ] as const)('leaves no file when the server $how, and keeps the one that exists', async ({ how, said }) => {
    end = how;
    writeFileSync(join(app.path, 'ada.jsonl'), 'earlier');
    const { code, stderr } = await app.run(['export', 'ada', '--force', '--url', url]);
    expect(stderr).toContain(said);
    expect(code).toBe(1);
    expect(readdirSync(app.path).filter((name) => name.startsWith('ada'))).toEqual(['ada.jsonl']);
    expect(readFileSync(join(app.path, 'ada.jsonl'), 'utf8')).toBe('earlier');
  });

  function partialSize(): number {
    const name = readdirSync(app.path).find((one) => one.endsWith('.partial'));
    return name === undefined ? 0 : statSync(join(app.path, name)).size;
  }
});
