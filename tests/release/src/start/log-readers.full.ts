import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { startApp } from './start-app.ts';

const ends = [
  { how: 'exits', end: 'process.exit(0)' },
  { how: 'is stopped', end: "process.kill(process.pid, 'SIGTERM')" },
];
const modes = ['development', 'production'];

it.each(modes.flatMap((mode) => ends.map((end) => ({ mode, ...end }))))(
  'ends and frees its port when the reader of its log is gone and it $how, in $mode',
  async ({ end, mode }) => {
    const { code } = await startApp(
      `
        import { registerHooks } from 'node:module';
        registerHooks({
          resolve: (specifier, context, next) => next(specifier === '@halyard/telemetry' ? 'not-installed' : specifier, context),
        });
        const { createServer } = await import('@halyard/server-fastify');
        const server = await createServer({ port: 0 });
        await server.listen();
        ${end};
      `,
      { NODE_ENV: mode, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
      'gone',
    );
    expect(code).toBe(0);
  },
);

/** Logs more than a pipe takes, then answers requests. */
const busy = `
  import { createServer } from '@halyard/server-fastify';
  const server = await createServer({ port: 0, logger: 'info' });
  const origin = await server.listen();
  for (let line = 1; line <= 20_000; line += 1) server.app.log.info({ filler: 'x'.repeat(100) }, 'line ' + line);
  const statuses = [];
  for (let request = 1; request <= 50; request += 1) statuses.push((await fetch(origin + '/healthz')).status);
  console.error('answered', [...new Set(statuses)].join());
`;

it.each(modes.flatMap((mode) => ends.map((end) => ({ mode, ...end }))))(
  'answers requests while the reader of its log stalls, and then $how in time, in $mode',
  async ({ end, mode }) => {
    const { code, stderr } = await startApp(`${busy} ${end};`, { NODE_ENV: mode }, 'stalled');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'answered 200\n' });
  },
);

it('answers requests while a pipe of a shell is not read', () => {
  const app = `"$NODE" --conditions=@halyard/source --input-type=module --eval "$APP"`;
  const { status, stderr } = spawnSync('sh', ['-c', `{ ${app}; echo "ended with $?" >&2; } | sleep 4`], {
    cwd: import.meta.dirname,
    env: { ...process.env, APP: `${busy} process.exit(0)`, NODE: process.execPath, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'answered 200\nended with 0\n' });
});

it.each(modes.flatMap((mode) => ends.map((end) => ({ mode, ...end }))))(
  'writes all lines to a reader when it $how, in $mode',
  async ({ end, mode }) => {
    const { code, stdout } = await startApp(
      `${busy} server.app.log.info('last'); ${end};`,
      { NODE_ENV: mode },
      'reads',
    );
    expect(code).toBe(0);
    expect(new Set(stdout.match(/line \d+/g)).size).toBe(20_000);
    expect(stdout).toMatch(/\blast\b/);
  },
);

it('drops lines when too many wait for the reader of its log, and says so', async () => {
  const { code, stderr } = await startApp(
    `
      import { createServer } from '@halyard/server-fastify';
      const server = await createServer({ port: 0, logger: 'info' });
      for (let line = 1; line <= 100_000; line += 1) server.app.log.info({ filler: 'x'.repeat(100) }, 'line');
      await server.close();
    `,
    { NODE_ENV: 'production' },
    'stalled',
  );
  expect(code).toBe(0);
  expect(stderr).toContain('HalyardLogWarning: The standard output is not read, so lines of the log are dropped');
});
