/** "What to do when" of docs/operations.md. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ready, type Replica, secretsOfTests, startReplica } from '../image/replicas.ts';
import { documented, psql, shell } from './documented.ts';
import { type Installation, openInstallation, placeOrder } from './installation.ts';

let installation: Installation;
let replica: Replica;
let url: string;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  installation = await openInstallation();
  replica = await installation.start();
  url = installation.database.connectionString;
  env = { DATABASE_URL: url, ORIGIN: replica.origin, CONSOLE_KEY: secretsOfTests.consoleKey };
});
afterAll(() => installation[Symbol.asyncDispose]());

const readiness = async (): Promise<unknown> =>
  JSON.parse(await shell(documented('sh', '/readyz'), { env })) as unknown;
const unavailable = (problem: string): unknown => ({
  status: 'unavailable',
  unavailable: [{ part: 'storage', problem }],
});
/** An order, or the answer to it. */
const order = async (): Promise<Response> =>
  replica.asUser('ada', '/workflows/order/execute', {
    method: 'POST',
    body: JSON.stringify({ input: { product: 'lamp', cents: 4_900 } }),
  });

it('the database is down: a replica says so, refuses with Retry-After, and continues when the database is back', async () => {
  expect(await readiness()).toEqual({ status: 'ready' });
  await installation.database.stop();
  await expect.poll(readiness).toEqual(unavailable('unreachable'));
  const refused = await order();
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'STORAGE_UNAVAILABLE']);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  await installation.database.start();
  await ready(replica);
  expect((await placeOrder(replica)).status).toBe('completed');
  const connections = await psql(url, documented('sql', 'group by 1, 2, 3'));
  expect(connections.filter((line) => line.startsWith('postgres|halyard|')).length).toBeGreaterThan(0);
});

it('a replica that started without its database, and is refused by it later, is misconfigured', async () => {
  await installation.database.stop();
  const mistaken = await startReplica(inject('image'), { databaseUrl: installation.urlFor({ database: 'missing' }) });
  const reply = async (): Promise<unknown> => {
    const response = await fetch(`${mistaken.origin}/readyz`).catch(() => undefined);
    return response?.json();
  };
  try {
    await expect.poll(reply).toEqual(unavailable('unreachable'));
    await installation.database.start();
    await expect.poll(reply).toEqual(unavailable('misconfigured'));
  } finally {
    await mistaken.container.remove();
  }
  await ready(replica);
});

it('a replica whose role may not log in any more says that the database is unreachable', async () => {
  await psql(url, 'create role halyard_lost superuser login');
  const lost = await installation.start({ databaseUrl: installation.urlFor({ user: 'halyard_lost' }) });
  await psql(
    url,
    `alter role halyard_lost nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = 'halyard_lost'`,
  );
  await expect.poll(async () => (await fetch(`${lost.origin}/readyz`)).json()).toEqual(unavailable('unreachable'));
  // The first failure may be the connection that was ended; the reason is in the log from the next
  // attempt to connect.
  await expect
    .poll(() => JSON.stringify(lost.container.log))
    .toContain('role \\"halyard_lost\\" is not permitted to log in');
  await lost.container.remove();
});

it('a transaction that holds a lock is found and ended, and calls that wait continue', async () => {
  const other = new Client({ connectionString: url, application_name: 'report' });
  const ended = new Promise((resolve) => other.on('error', resolve));
  await other.connect();
  const { executionId } = await placeOrder(replica);
  await other.query('begin; lock table halyard.executions in access exclusive mode');
  const waiting = order();
  const find = (): Promise<readonly string[]> => psql(url, documented('sql', 'pg_blocking_pids'));
  await expect.poll(find).not.toEqual([]);
  const [line = ''] = await find();
  const [, pid = '', , application] = line.split('|');
  expect(application).toBe('report');
  await psql(url, `select pg_terminate_backend(${pid})`);
  await ended;
  expect([200, 503]).toContain((await waiting).status);
  expect((await placeOrder(replica)).status).toBe('completed');
  expect(executionId).not.toBe('');
});

it('the largest tables are listed, with their partitions as one', async () => {
  const lines = await psql(url, documented('sql', 'pg_size_pretty'));
  const tables = lines.map((line) => line.split('|')[0]);
  // Both have a partition for each day.
  for (const table of ['spans', 'logs']) expect(tables).toContain(table);
  expect(new Set(tables).size).toBe(tables.length);
});

it('the queue grows: due executions are counted, and the workflow that takes all is named', async () => {
  expect(await psql(url, documented('sql', 'as late_s'))).toEqual(['0|']);
  // The only replica is stopped: nobody takes up what is due.
  await replica.container.signal('SIGSTOP');
  try {
    await psql(
      url,
      `update halyard.executions set wants_runner_at = extract(epoch from clock_timestamp()) * 1000 - 60000
       where key = (select max(key) from halyard.executions)`,
    );
    const [counted = ''] = await psql(url, documented('sql', 'as late_s'));
    const [due, late] = counted.split('|').map(Number);
    expect(due).toBe(1);
    expect(late).toBeGreaterThanOrEqual(60);
    expect(await psql(url, documented('sql', 'group by 1 order by 2'))).toEqual(['order|1']);
  } finally {
    await psql(url, 'update halyard.executions set wants_runner_at = null');
    await replica.container.signal('SIGCONT');
  }
});

it('quarantined executions are listed, and resumed together', async () => {
  const dying = await installation.start();
  const answer = placeOrder(dying).catch(() => undefined);
  const shipping = `select max(x.id) from halyard.executions x join halyard.execution_events e on e.execution_key = x.key
    where e.event like '%"step-start"%' and e.event like '%"ship"%' and x.status = 'running'`;
  await expect.poll(() => psql(url, shipping), { interval: 20 }).not.toEqual([]);
  const [executionId = ''] = await psql(url, shipping);
  await dying.container.remove();
  await answer;
  // As if this was the eighth time.
  await psql(url, `update halyard.executions set claims_without_commit = 8 where id = '${executionId}'`);

  const list = async (): Promise<readonly string[]> => {
    const listed = JSON.parse(await shell(documented('sh', 'quarantined=true'), { env })) as { data: { id: string }[] };
    return listed.data.map(({ id }) => id);
  };
  await expect.poll(list, { interval: 200 }).toEqual([executionId]);
  expect(JSON.stringify(replica.container.log)).toContain('an execution was quarantined: no process can run it');
  expect(JSON.parse(await shell(documented('sh', '/workflows/executions/bulk'), { env }))).toMatchObject({
    success: true,
  });
  const status = (): Promise<readonly string[]> =>
    psql(url, `select status from halyard.executions where id = '${executionId}'`);
  await expect.poll(status, { interval: 200 }).toEqual(['completed']);
  expect(await list()).toEqual([]);
});

it('the data of a person is exported and deleted, and that of others stays', async () => {
  await placeOrder(replica, { user: 'eve' });
  await placeOrder(replica, { user: 'bob' });
  const rows = (user: string): Promise<readonly string[]> =>
    psql(url, `select count(*) from halyard.executions where user_id = '${user}'`);
  const inContainer = (commands: string): string => commands.replaceAll('ada', 'eve');
  const [program = '', ...words] = inContainer(documented('sh', 'export-user.ts')).split(' > ')[0]?.split(' ') ?? [];
  const exported = await replica.container.exec(program, ...words);
  expect(exported.stderr).toBe('');
  expect(
    exported.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(['execution']);

  const [sign = '', ...deletion] = inContainer(documented('sh', 'sign-token.ts')).split('\n');
  const script = /\$\((.*)\)/.exec(sign)?.[1]?.split(' ') ?? [];
  const { stdout: token } = await replica.container.exec(...script);
  const reply = await shell(deletion.join('\n'), { env: { ...env, TOKEN: token.trim() } });
  expect(JSON.parse(reply)).toMatchObject({ success: true, data: { deleted: true, executions: 1 } });
  expect([await rows('eve'), await rows('bob')]).toEqual([['0'], ['1']]);

  // The console key is no identity.
  expect((await replica.asOperator('/api/memory/users/bob', { method: 'DELETE' })).status).toBe(401);
});

it('a leaked role of the database is removed with its connections', async () => {
  await psql(
    url,
    'create role halyard_owner nologin; create role intruder login; create table owned (id int); alter table owned owner to intruder',
  );
  const intruder = new Client({ connectionString: installation.urlFor({ user: 'intruder' }) });
  const ended = new Promise((resolve) => intruder.on('error', resolve));
  await intruder.connect();
  await psql(url, documented('sql', 'drop role :"leaked"'), { leaked: 'intruder' });
  await ended;
  expect(await psql(url, `select tableowner from pg_tables where tablename = 'owned'`)).toEqual(['halyard_owner']);
  await expect(intruder.query('select 1')).rejects.toThrow();
  await expect(new Client({ connectionString: installation.urlFor({ user: 'intruder' }) }).connect()).rejects.toThrow(
    'role "intruder" does not exist',
  );
});
