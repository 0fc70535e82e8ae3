import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';

// A scripted model plays the given answers, so tests need no key and no network. Import your own
// agent and pass it the model.
it('answers with the text of the model', async () => {
  const model = scriptedModel('Hello, Ada.');
  const agent = new Agent({ id: 'assistant', model });

  const { text } = await agent.generateText('I am Ada');

  assert.equal(text, 'Hello, Ada.');
  assert.equal(model.calls.length, 1);
});
