// What an app does with the published packages: nothing here knows the workspace.
import assert from 'node:assert/strict';
import { executionStoreCases } from '@halyard/conformance';
import { NotFoundError } from '@halyard/contracts';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';

const weather = createTool({
  name: 'getWeather',
  description: 'Current weather in a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, sky: 'clear' }),
});
const assistant = new Agent({
  id: 'assistant',
  name: 'Assistant',
  description: 'Answers',
  instructions: 'Be brief.',
  model: scriptedModel({ toolCalls: [{ toolName: 'getWeather', input: { city: 'Paris' } }] }, 'Clear.'),
  tools: [weather],
});

const { text } = await assistant.generateText('How is the weather in Paris?');
assert.equal(text, 'Clear.');
assert.equal(new NotFoundError('agent', 'nobody').code, 'AGENT_NOT_FOUND');

for (const { run } of executionStoreCases) {
  let now = Date.now();
  const { executions } = createInMemoryStorage({ clock: { now: () => now } });
  await run({ store: executions, advance: (ms) => void (now += ms) });
}

const server = await createServer({
  agents: [assistant],
  storage: createInMemoryStorage(),
  logger: false,
  port: 0,
});
const url = await server.listen();
try {
  const answer = await post('/agents/assistant/text', { input: 'And now?' });
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).data.text, 'Clear.');

  const stream = await post('/agents/assistant/stream', { input: 'And now?' });
  assert.match(await stream.text(), /"type":"text-delta"/);

  assert.equal((await post('/agents/nobody/text', { input: 'Hello' })).headers.get('x-error-code'), 'AGENT_NOT_FOUND');
  for (const path of ['/', '/doc', '/ui', '/healthz']) assert.equal((await fetch(url + path)).status, 200, path);
} finally {
  await server.close();
}

function post(path, body) {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
