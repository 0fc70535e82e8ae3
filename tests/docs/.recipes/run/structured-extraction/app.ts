import { openai } from '@ai-sdk/openai';
import { Agent } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { z } from 'zod';

const Invoice = z.object({
  number: z.string(),
  date: z.iso.date(),
  currency: z.enum(['EUR', 'USD', 'GBP']),
  lines: z.array(z.object({ text: z.string(), cents: z.int() })),
  totalCents: z.int(),
});

const reader = new Agent({
  id: 'reader',
  instructions: 'You read invoices. Copy what is there, and invent nothing. Amounts are in cents.',
  model: openai('gpt-5-mini'),
});

const server = await createServer({ agents: [reader] });
server.app.post<{ Body: { text: string } }>('/invoices', async (request, reply) => {
  const { object, usage } = await reader.generateObject(request.body.text, {
    schema: Invoice,
    schemaName: 'invoice',
  });
  // A schema cannot say this, and a model can be wrong.
  const sum = object.lines.reduce((cents, line) => cents + line.cents, 0);
  if (sum !== object.totalCents) return reply.code(422).send({ error: 'The lines do not add up', invoice: object });
  return { invoice: object, tokens: usage.totalTokens };
});
await server.listen();
