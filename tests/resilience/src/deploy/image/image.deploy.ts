import { globSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { approveOrder } from '../operations/installation.ts';
import { Container } from './container.ts';
import {
  type PostgresServer,
  ready,
  type Replica,
  type ReplicaOptions,
  startPostgresServer,
  startReplica,
  statusOf,
  tokenOf,
} from './replicas.ts';

const image = inject('image');
let database: PostgresServer;
const started: Replica[] = [];

beforeAll(async () => {
  database = await startPostgresServer();
});
afterEach(async () => {
  for (const { container } of started.splice(0)) await container.remove();
});
afterAll(() => database.remove());

async function start(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
  const replica = await startReplica(image, { databaseUrl: database.connectionString, ...options });
  started.push(replica);
  return replica;
}

const orderOf = (cents: number): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ input: { product: 'lamp', cents } }),
});

describe('the files of the image', () => {
  it('contain the app and what it needs at run time, and neither tools nor tests', () => {
    const packages = readdirSync(`${image.folder}/app/node_modules/.pnpm`).map((name) => name.replace(/@[^@]*$/, ''));
    expect(readdirSync(`${image.folder}/app`).filter((name) => !/^(pnpm-.*\.yaml|README\.md)$/.test(name))).toEqual([
      'node_modules',
      'package.json',
      'src',
    ]);
    expect(packages).toContain('fastify');
    // `@types/node` is a dependency of protobufjs.
    const tools =
      /^(typescript|vitest|turbo|oxlint|oxfmt|esbuild|knip|playwright-core|@electric-sql\+.*|@types\+(?!node$).*)$/;
    expect(packages.filter((name) => tools.test(name))).toEqual([]);
    const own = globSync('app/{src,node_modules/.pnpm/@halyard+*/node_modules/@halyard/*/*}/**/*.{ts,js}', {
      cwd: image.folder,
    });
    expect(own.filter((path) => path.endsWith('core/dist/index.js'))).toHaveLength(1);
    expect(own.filter((path) => /\.(test|postgres)\.(ts|js)$/.test(path))).toEqual([]);
  });

  it('contain no secrets and no settings', () => {
    const files = globSync(['app/{.*,*}', 'app/src/**/{.*,*}'], { cwd: image.folder });
    expect(files).toContain('app/src/main.ts');
    expect(files.filter((path) => /\/(\.env.*|secrets|.*\.pem|compose\.yml)$/.test(path))).toEqual([]);
  });
});

describe('a replica', () => {
  it('runs as another user without capabilities, and can write to /tmp only', async () => {
    const replica = await start();
    await ready(replica);
    const pid = await replica.container.pid();
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]?.split('\t')).toEqual(Array.from({ length: 4 }, () => '10001'));
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);

    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').trim().split('\n');
    const writable = mounts.flatMap((line) => {
      const [, , , , path = '', options = ''] = line.split(' ');
      return options.split(',').includes('rw') ? [path] : [];
    });
    expect(writable.filter((path) => !/^\/(dev\/(null|zero|u?random)|proc|tmp)$/.test(path))).toEqual([]);
    const { code } = await replica.container.exec('/bin/sh', '-c', 'touch /app/written');
    expect(code).not.toBe(0);
  });

  it('answers its own health check, and writes no file while it works', async () => {
    const replica = await start();
    await ready(replica);
    expect(await replica.container.exec(...image.settings.healthcheck)).toMatchObject({ code: 0 });
    const ran = await replica.asUser('ada', '/workflows/order/execute', orderOf(4_900));
    expect(ran.status).toBe(200);
    const pid = await replica.container.pid();
    expect(readdirSync(`/proc/${pid}/root/tmp`)).toEqual([]);
    const open = readdirSync(`/proc/${pid}/fd`);
    expect(open.length).toBeGreaterThan(3);
  });

  it('writes its heap to /tmp on a signal that is sent in its container', async () => {
    const replica = await start({ env: { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=/tmp' } });
    await ready(replica);
    await replica.container.exec('/bin/sh', '-c', 'kill -USR2 1');
    const written = `/proc/${await replica.container.pid()}/root/tmp`;
    await expect
      .poll(() => readdirSync(written), { timeout: 120_000 })
      .toEqual([expect.stringMatching(/^Heap.*\.heapsnapshot$/)]);
    expect(await statusOf(`${replica.origin}/healthz`)).toBe(200);
  });

  it('requires a token of users and the key of operators', async () => {
    const replica = await start();
    await ready(replica);
    expect(await statusOf(`${replica.origin}/agents`)).toBe(401);
    const withoutToken = await fetch(`${replica.origin}/workflows/order/execute`, orderOf(1));
    expect(withoutToken.status).toBe(401);
    const ofAnotherApp = await fetch(`${replica.origin}/workflows/order/execute`, {
      ...orderOf(1),
      headers: { authorization: `Bearer ${tokenOf('ada', 'another secret of more than 32 bytes')}` },
    });
    expect(ofAnotherApp.status).toBe(401);
    expect((await replica.asUser('ada', '/agents')).status).toBe(401);
    expect((await replica.asOperator('/agents')).status).toBe(200);
  });

  it('accepts the tokens that its script prints', async () => {
    const replica = await start();
    await ready(replica);
    const { stdout } = await replica.container.exec('node', 'src/sign-token.ts', 'ada');
    const { status } = await fetch(`${replica.origin}/workflows/order/execute`, {
      ...orderOf(4_900),
      headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
  });

  it('finishes the running step after SIGTERM, answers its caller, and ends with code 0', async () => {
    const [replica, other] = [await start(), await start()];
    await Promise.all([ready(replica), ready(other)]);
    const running = replica.asUser('ada', '/workflows/order/execute', orderOf(4_900));
    const isShipping = `event like '%"step-start"%' and event like '%"ship"%'`;
    const before = await count(isShipping);
    await expect.poll(() => count(isShipping), { interval: 20 }).toBe(before + 1);
    await replica.container.signal('SIGTERM');
    const answer = await running;
    expect(await replica.container.ended).toMatchObject({ code: 0, stderr: '' });
    expect(answer.status).toBe(200);

    const path = `/workflows/order/executions/${answer.headers.get('x-execution-id')}`;
    const { data } = (await (await other.asUser('ada', path)).json()) as { data: { status: string } };
    expect(data.status).toBe('completed');
    const messages = [replica, other].map(({ container }) => container.log.map(({ msg }) => msg));
    expect(messages[0]).toContain('the parcel was handed over');
    expect(messages[1]).not.toContain('the parcel was handed over');
  });

  it('ends at once after SIGTERM while it starts, although it is process 1', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    const replica = await start({ databaseUrl: `postgres://nobody@127.0.0.1:${port}/nothing` });
    await connected;
    await replica.container.signal('SIGTERM');
    expect(await replica.container.ended).toMatchObject({ code: 0 });
    silent.close();
  });

  it('continues on another replica what was started here', async () => {
    const [first, second] = [await start(), await start()];
    await Promise.all([ready(first), ready(second)]);
    const begun = await first.asUser('ada', '/workflows/order/execute', orderOf(890_000));
    const { data } = (await begun.json()) as { data: { executionId: string; status: string } };
    expect(data.status).toBe('suspended');
    await first.container.signal('SIGTERM');
    await first.container.ended;
    const execution = `/workflows/order/executions/${data.executionId}`;
    const body = JSON.stringify({ resumeData: { by: 'ada' } });
    const own = await second.asUser('ada', `${execution}/resume`, { method: 'POST', body });
    expect(await own.json()).toMatchObject({ data: { status: 'suspended' } });
    expect(await approveOrder(second, data.executionId)).toBe('completed');
    const state = await second.asOperator(`${execution}/state`);
    expect(await state.json()).toMatchObject({ data: { output: { product: 'lamp' } } });
  });

  it('names all missing settings and ends with code 1', async () => {
    const container = new Container(image, {});
    const { code, stderr } = await container.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('set DATABASE_URL or DATABASE_URL_FILE; set HALYARD_SECRET or HALYARD_SECRET_FILE');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  async function count(condition: string): Promise<number> {
    const [row] = await database.query(
      `select count(*)::int as count from halyard.execution_events where ${condition}`,
    );
    return Number(row !== undefined && 'count' in row ? row.count : Number.NaN);
  }
});
