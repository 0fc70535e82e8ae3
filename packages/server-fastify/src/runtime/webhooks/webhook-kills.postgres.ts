import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServerDatabase, type ServerDatabase } from '../../../../memory-postgres/src/testing/server-database.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const executions = 40;
/** Longer than the lease of deliveries and of executions. */
const laterMs = 120_000;

let database: ServerDatabase;
const children: ChildProcess[] = [];
beforeAll(async () => {
  database = await createServerDatabase();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database.remove();
});

function start(url: string, shiftMs: number, count: number): ChildProcess {
  const script = join(import.meta.dirname, '../../testing/webhook-process.ts');
  const given = [database.connectionString, url, shiftMs, count].map(String);
  const child = spawn(process.execPath, ['--conditions=@halyard/source', script, ...given], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.push(child);
  return child;
}

const countOf = async (where: string): Promise<number> => {
  const [row] = await database.query(`select count(*)::integer as count from ${where}`);
  return (row as { count: number }).count;
};

it('loses no event when processes are killed between an execution, its webhook and the reply', async () => {
  const received: string[] = [];
  let kill: (() => void) | undefined;
  const receiver = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const { data } = new Webhook(secret).verify(Buffer.concat(parts).toString(), headers) as {
        readonly data: { readonly executionId: string };
      };
      received.push(`${headers['webhook-id']} ${data.executionId}`);
      if (kill === undefined) response.writeHead(204).end();
      else kill();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  try {
    // It is killed by the first webhook, whose reply it never gets: others are not sent yet.
    const first = start(url, 0, executions);
    kill = () => first.kill('SIGKILL');
    await once(first, 'exit');
    kill = undefined;
    const unanswered = [...received];
    expect(unanswered.length).toBeGreaterThan(0);

    const delivered = `halyard.webhook_deliveries where status = 'delivered'`;
    for (let shift = 1; shift <= 3; shift += 1) {
      const before = await countOf(delivered);
      const next = start(url, shift * laterMs, shift === 1 ? executions : 0);
      // Two more are killed in the middle of their work, the last one completes it.
      const wanted = shift === 3 ? executions : Math.min(executions, before + 5);
      await expect.poll(() => countOf(delivered), { interval: 5 }).toBeGreaterThanOrEqual(wanted);
      next.kill('SIGKILL');
      await once(next, 'exit');
    }

    expect(await countOf(`halyard.executions where status = 'completed'`)).toBe(executions);
    const rows = await database.query(
      `select id, data::jsonb->>'executionId' as execution from halyard.webhook_deliveries`,
    );
    // One event for each execution, whichever process ran it.
    const events = rows.map((row) => Object.values(row).join(' '));
    expect(new Set(rows.map((row) => Object.values(row)[1])).size).toBe(executions);
    expect(events).toHaveLength(executions);
    expect(new Set(received)).toEqual(new Set(events));
    for (const one of unanswered) expect(received.filter((other) => other === one).length).toBeGreaterThan(1);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
