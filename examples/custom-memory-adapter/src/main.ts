import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Agent, createMemory } from '@halyard/core';
import { chooseModel } from '@halyard/example-demo-model';
import { createSqliteStorage } from './sqlite-storage.ts';

const [text = 'Hello, I am Ada.', file = '.halyard/memory.sqlite'] = process.argv.slice(2);
mkdirSync(dirname(file), { recursive: true });
const storage = createSqliteStorage({ file });
const memory = createMemory({ storage });
const { model } = await chooseModel();
const agent = new Agent({ id: 'guide', model, memory });

const answer = await agent.generateText(text, { memory: { userId: 'ada', conversationId: 'talk' } });
const { messages } = await memory.messages({ user: 'ada' }, 'talk', { limit: 1_000 });
console.log(`${answer.text}\n\n${file} has ${messages.length} messages now.`);

await memory.close();
await storage.close();
