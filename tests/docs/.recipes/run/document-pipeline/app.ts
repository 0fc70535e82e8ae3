import { openai } from '@ai-sdk/openai';
import { Agent, andAgent, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const partLength = 12_000;
const summariser = new Agent({
  id: 'summariser',
  instructions: 'Summarise the text in five sentences. Keep names, dates and figures.',
  model: openai('gpt-5-mini'),
});

const pipeline = createWorkflow({
  id: 'summarise-document',
  input: Type.Object({ title: Type.String(), text: Type.String({ minLength: 1 }) }),
  concurrency: { limit: 2, key: ({ userId }) => userId ?? 'nobody' },
  retries: { attempts: 4, delayMs: 2_000 },
})
  .andThen({
    id: 'split',
    execute: ({ data }) => {
      const count = Math.ceil(data.text.length / partLength);
      return Array.from({ length: count }, (_, part) => data.text.slice(part * partLength, (part + 1) * partLength));
    },
  })
  .andForEach({
    id: 'parts',
    concurrency: 4,
    step: andAgent({ id: 'summarise', agent: summariser, prompt: ({ data: part }) => part }),
  })
  .andAgent({
    id: 'join',
    agent: summariser,
    prompt: ({ data, input }) => `The parts of "${input.title}":\n\n${data.join('\n\n')}`,
  });

const storage = createPostgresStorage({ dataDir: '.halyard' });
const server = await createServer({ agents: [summariser], workflows: [pipeline], storage });
await server.listen();
