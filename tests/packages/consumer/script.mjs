// What an app does with the published packages: nothing here knows the workspace.
import assert from 'node:assert/strict';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';

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
