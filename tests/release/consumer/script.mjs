// An app that uses the published packages, outside the workspace.
import assert from 'node:assert/strict';
import { createClient } from '@halyard/client';
import { executionStoreCases } from '@halyard/conformance';
import { NotFoundError } from '@halyard/contracts';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { mcpClient, mcpServer } from '@halyard/mcp';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { openTelemetry } from '@halyard/telemetry';

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
assert.equal(new NotFoundError('agent', 'unknown').code, 'AGENT_NOT_FOUND');

for (const { run } of executionStoreCases) {
  let now = Date.now();
  const { executions } = createInMemoryStorage({ clock: { now: () => now } });
  await run({ store: executions, advance: (ms) => void (now += ms) });
}

const server = await createServer({
  agents: [assistant],
  mcpServers: [mcpServer({ id: 'shop', version: '1.0.0', tools: [weather] })],
  telemetry: { recorder: openTelemetry() },
  storage: createInMemoryStorage(),
  logger: false,
  port: 0,
});
const url = await server.listen();
try {
  const answer = await post('/agents/assistant/text', { input: 'And now?' });
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).data.text, 'Clear.');

  const client = createClient({ baseUrl: url });
  assert.equal((await client.agent('assistant').text('And now?')).text, 'Clear.');

  const stream = await post('/agents/assistant/stream', { input: 'And now?' });
  assert.match(await stream.text(), /"type":"text-delta"/);

  assert.equal((await post('/agents/unknown/text', { input: 'Hello' })).headers.get('x-error-code'), 'AGENT_NOT_FOUND');
  const shop = mcpClient({ id: 'shop', url: `${url}/mcp/shop` });
  assert.deepEqual(
    (await shop.listTools()).map(({ name }) => name),
    ['getWeather'],
  );
  await shop.close();

  const { data: recorded } = await (await fetch(`${url}/observability/traces`)).json();
  assert.equal(recorded.total, 3);
  assert.equal(recorded.traces[0].rootSpan.instrumentationScope.name, '@halyard/core');

  // The schema of a request is compiled in a thread.
  const schema = { type: 'object', required: ['sky'] };
  const object = await post('/agents/assistant/object', { input: 'And now?', schema });
  assert.equal(object.headers.get('x-error-code'), 'OBJECT_NOT_GENERATED');

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
