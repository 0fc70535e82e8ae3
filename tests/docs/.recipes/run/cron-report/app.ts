import { openai } from '@ai-sdk/openai';
import { Agent, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';

const webhook = process.env['REPORT_WEBHOOK'] ?? 'http://localhost:9000/report';
const storage = createPostgresStorage({ dataDir: '.halyard' });

const writer = new Agent({
  id: 'writer',
  instructions: 'Summarise the sales in at most three sentences. Name what is unusual.',
  model: openai('gpt-5-mini'),
});

/** Stands for a query of your database. */
const readSales = async (): Promise<{ article: string; sold: number }[]> => [
  { article: 'lamp', sold: 3 },
  { article: 'chair', sold: 41 },
];

const report = createWorkflow({ id: 'sales-report' })
  .andThen({ id: 'collect', retries: { attempts: 5, delayMs: 60_000 }, execute: readSales })
  .andAgent({ id: 'write', agent: writer, prompt: ({ data }) => JSON.stringify(data) })
  .andThen({
    id: 'send',
    retries: { attempts: 5, delayMs: 60_000 },
    timeoutMs: 10_000,
    execute: async ({ data, idempotencyKey, signal }) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const reply = await fetch(webhook, { method: 'POST', headers, body: JSON.stringify({ text: data }), signal });
      if (!reply.ok) throw new Error(`The webhook answered ${reply.status}`);
      return { sent: data };
    },
  })
  .schedule({ cron: process.env['REPORT_CRON'] ?? '0 7 * * 1-5', timeZone: 'Europe/Berlin' });

const server = await createServer({ agents: [writer], workflows: [report], storage });
await server.listen();
