// Calls the server at the address in the arguments. Runs on Node, Bun and Deno.
import assert from 'node:assert/strict';
import process from 'node:process';
import { createClient, NotFoundError, textOf } from '@halyard/client';

const client = createClient({ baseUrl: process.argv.at(-1) });

let text = '';
for await (const part of textOf(client.agent('assistant').stream('Hi'))) text += part;
assert.equal(text, 'Hello there.');

const execution = await client.workflow('order').start({ item: 'sail' });
const numbers = [];
for await (const event of execution) numbers.push(event.seq);
assert.deepEqual(numbers, [1, 2, 3, 4]);
assert.equal((await execution.resume({ resumeData: true })).result, 'resumed');

for await (const message of client.channel('/ws')) {
  assert.equal(message.type, 'CONNECTION_TEST');
  break;
}
await assert.rejects(client.agent('nobody').text('Hi'), NotFoundError);

const left = new AbortController();
const reason = new Error('left');
await assert.rejects(
  async () => {
    for await (const { type } of client.agent('endless').stream('Hi', { signal: left.signal }))
      if (type === 'text-delta') left.abort(reason);
  },
  (error) => error === reason,
);
