import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
// @if jwt
import { createAuth } from './auth.ts';
// @end
import { createApp } from './server.ts';
// @if jwt
import { signToken } from './sign-token.ts';

process.env['JWT_SECRET'] = 'a secret of the tests, which has at least 32 bytes';
const headers = { authorization: `Bearer ${signToken('ada')}` };
// @end

it('answers with the result of a tool, and remembers the conversation', async () => {
  const model = scriptedModel({ toolCalls: [{ toolName: 'addNote', input: { text: 'buy oars' } }] }, 'Noted.');
  // @if jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), auth: createAuth(), logger: false });
  // @end
  // @if !jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), logger: false });
  // @end

  const reply = await server.app.inject({
    method: 'POST',
    url: '/agents/assistant/text',
    // @if jwt
    headers,
    // @end
    payload: { input: 'Note: buy oars', options: { userId: 'ada', conversationId: 'boats' } },
  });
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.json().data.text, 'Noted.');

  const messages = await server.app.inject({
    url: '/api/memory/conversations/boats/messages',
    // @if jwt
    headers,
    // @end
  });
  assert.match(messages.body, /buy oars/);
  await server.close();
});
