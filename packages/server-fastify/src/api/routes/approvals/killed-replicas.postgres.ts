import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { UIMessage } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createServerDatabase,
  type ServerDatabase,
} from '../../../../../memory-postgres/src/testing/server-database.ts';
import { ask } from '../../../testing/memory.ts';
import { json } from '../../../testing/serve.ts';

const program = fileURLToPath(new URL('../../../testing/approvals-replica.ts', import.meta.url));

interface Replica {
  readonly origin: string;
  /** What its tools have done. */
  readonly lines: string[];
  kill(): Promise<void>;
}

let database: ServerDatabase;
let children: ChildProcess[];
beforeEach(async () => {
  children = [];
  database = await createServerDatabase();
});
afterEach(async () => {
  for (const child of children) await end(child);
  await database.remove();
});

async function start(mode = ''): Promise<Replica> {
  const child = spawn(process.execPath, ['--conditions=@halyard/source', program, database.connectionString, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await once(reader, 'line');
  return { origin: lines.shift() ?? '', lines, kill: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function lastMessage({ origin }: Replica): Promise<UIMessage | undefined> {
  const { data } = await ask(origin, '/conversations/talk/messages?userId=ada');
  return (data['messages'] as UIMessage[]).at(-1);
}

const send = ({ origin }: Replica, input: unknown, agent = 'boss'): Promise<Response> =>
  fetch(`${origin}/agents/${agent}/chat`, json({ input, options: { userId: 'ada', conversationId: 'talk' } }));

interface Approval {
  readonly id: string;
  readonly conversationId: string;
  readonly toolName: string;
  readonly approvers: readonly string[] | null;
}

const inTheChat = async (replica: Replica): Promise<void> => {
  const message = await lastMessage(replica);
  const parts = message?.parts.map((part) =>
    'approval' in part
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  );
  const response = await send(replica, [{ ...message, parts }]);
  expect(response.status).toBe(200);
  // The process is killed while it writes.
  void response.text().catch(() => {});
};

const inTheInbox = async ({ origin }: Replica): Promise<void> => {
  const listed = (await (await fetch(`${origin}/approvals`)).json()) as { data: { approvals: Approval[] } };
  expect(listed.data.approvals).toMatchObject([{ toolName: 'pay', conversationId: 'talk' }]);
  const [{ conversationId, id } = expect.fail('nothing waits')] = listed.data.approvals;
  const response = await fetch(`${origin}/approvals/answer`, json({ id, conversationId, approved: true }));
  expect(response.status).toBe(200);
};

it('asks others at the end of a time limit, although the process that asked was killed', async () => {
  const first = await start();
  await fetch(`${first.origin}/workflows/leave/execute`, json({ input: {}, options: { executionId: 'leave-1' } }));
  await first.kill();

  const second = await start();
  const approvers = async (): Promise<unknown> => {
    const { data } = (await (await fetch(`${second.origin}/approvals`)).json()) as { data: { approvals: Approval[] } };
    return data.approvals.map((approval) => approval.approvers);
  };
  await expect.poll(approvers).toEqual([['lee']]);
  const audit = (await (await fetch(`${second.origin}/audit?target=leave-1`)).json()) as { data: { records: unknown } };
  expect(audit.data.records).toMatchObject([
    { action: 'approval.expire', actor: { userId: null, channel: 'server' }, detail: { outcome: 'ask-again' } },
  ]);
});

it('ends the time limit of a request in a chat, although the process that asked was killed', async () => {
  const first = await start();
  await (await send(first, 'Lend', 'lender')).text();
  await first.kill();

  const second = await start();
  await expect
    .poll(async () => (await lastMessage(second))?.parts.at(-1), { timeout: 60_000 })
    .toMatchObject({ text: expect.stringContaining('Nobody has responded in time.') });
  const audit = (await (await fetch(`${second.origin}/audit?target=talk`)).json()) as { data: { records: unknown } };
  expect(audit.data.records).toMatchObject([
    { action: 'approval.expire', target: { agentId: 'lender' }, detail: { outcome: 'deny' } },
    { action: 'approval.expire', target: { agentId: 'lender' }, detail: { outcome: 'ask-again' } },
  ]);
});

it.each([
  ['the chat', inTheChat],
  ['the inbox', inTheInbox],
])('a sub-agent whose call was approved in %s continues once, although each process is killed', async (_, approve) => {
  const first = await start();
  await (await send(first, 'Pay')).text();
  await first.kill();
  expect(first.lines).toEqual([]);

  const second = await start('hangs');
  await approve(second);
  await expect.poll(() => second.lines).toEqual([expect.stringContaining('paid '), 'booking']);
  await second.kill();

  const third = await start();
  await expect.poll(async () => (await lastMessage(third))?.parts.at(-1)).toMatchObject({ text: 'All done.' });
  expect(third.lines).toEqual(['booking']);
  const parts = (await lastMessage(third))?.parts ?? [];
  expect(parts.filter((part) => 'toolCallId' in part)).toMatchObject([
    { type: 'tool-ask_clerk', output: 'Paid.' },
    { type: 'dynamic-tool', toolName: 'pay', output: { approved: true } },
  ]);
});
