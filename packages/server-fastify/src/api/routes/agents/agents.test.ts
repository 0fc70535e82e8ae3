import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';

const weather = createTool({
  name: 'getWeather',
  description: 'Weather',
  input: Type.Object({ city: Type.String() }),
  execute: () => 'sunny',
});
const helper = new Agent({
  id: 'helper',
  name: 'Helper',
  description: 'Helps',
  suggestions: ['Where is it?'],
  instructions: 'secret words',
  model: scriptedModel('hi'),
  tools: [weather],
  generation: {
    temperature: null,
    topK: 5,
    headers: { authorization: 'secret words' },
    providerOptions: { p: { apiKey: 'secret words' } },
  },
});
const boss = new Agent({
  id: 'boss',
  instructions: () => 'secret words',
  model: () => scriptedModel('hi'),
  subAgents: [helper],
  maxSteps: 3,
  onBusy: 'reject',
  resumable: true,
});

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents: [helper, boss] });
});
afterAll(() => server.close());

const helperFields = {
  id: 'helper',
  name: 'Helper',
  description: 'Helps',
  status: 'idle',
  model: 'scripted',
  tools: ['getWeather'],
  memory: null,
};
const generation = { temperature: 0.7, maxOutputTokens: 4000, topP: 1, frequencyPenalty: 0, presencePenalty: 0 };
const settings = {
  instructions: 'text',
  tools: 'fixed',
  subAgents: 'fixed',
  maxSteps: 10,
  onBusy: 'queue',
  resumable: false,
  durable: null,
  generation: { ...generation, temperature: null, topK: 5 },
};
const helperSummary = {
  ...helperFields,
  suggestions: ['Where is it?'],
  subAgents: [],
  isTelemetryEnabled: true,
  settings,
};
const bossSummary = {
  id: 'boss',
  name: 'boss',
  description: '',
  status: 'idle',
  model: 'dynamic',
  tools: [],
  suggestions: [],
  subAgents: [helperFields],
  memory: null,
  isTelemetryEnabled: true,
  settings: { ...settings, instructions: 'function', maxSteps: 3, onBusy: 'reject', resumable: true, generation },
};

it('lists the agents in the order of registration, without their instructions', async () => {
  for (const _ of [1, 2]) {
    const response = await fetch(`${server.origin}/agents`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ success: true, data: [helperSummary, bossSummary] });
  }
});

it('returns one agent', async () => {
  const response = await fetch(`${server.origin}/agents/boss`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ success: true, data: bossSummary });
});

it('does not find an unknown agent, and refuses an invalid id', async () => {
  const missing = await fetch(`${server.origin}/agents/unknown`);
  expect(missing.status).toBe(404);
  expect(missing.headers.get('x-error-code')).toBe('AGENT_NOT_FOUND');
  expect(await missing.json()).toEqual({ success: false, error: 'Agent not found: unknown' });

  const impossible = await fetch(`${server.origin}/agents/a%20b`);
  expect(impossible.status).toBe(400);
  expect(await impossible.json()).toEqual({
    success: false,
    error: 'params/id must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
  });
});
