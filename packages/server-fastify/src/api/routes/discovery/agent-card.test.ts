import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../../../testing/serve.ts';

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text, minItems: 1 };

/**
 * The fields that `a2a.proto` of A2A 1.0 marks as required, with their names in JSON, and the
 * optional fields that we use.
 */
const cardOfA2a = {
  type: 'object',
  additionalProperties: false,
  required: [
    'name',
    'description',
    'supportedInterfaces',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
  properties: {
    name: text,
    description: text,
    supportedInterfaces: {
      type: 'array',
      items: { type: 'object', required: ['url', 'protocolBinding', 'protocolVersion'] },
    },
    version: text,
    documentationUrl: text,
    capabilities: {
      type: 'object',
      additionalProperties: false,
      properties: {
        streaming: { type: 'boolean' },
        pushNotifications: { type: 'boolean' },
        extendedAgentCard: { type: 'boolean' },
        extensions: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            properties: {
              uri: text,
              description: text,
              required: { type: 'boolean' },
              params: { type: 'object' },
            },
          },
        },
      },
    },
    defaultInputModes: texts,
    defaultOutputModes: texts,
    skills: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'name', 'description', 'tags'],
        properties: { id: text, name: text, description: text, tags: texts },
      },
    },
  },
};

const search = createTool({
  name: 'search',
  description: 'Searches the web',
  input: { type: 'object' } as const,
  tags: ['search'],
  execute: () => 'found',
});
const helper = new Agent({ id: 'helper', model: scriptedModel('ok') });
const guide = new Agent({
  id: 'guide',
  name: 'Guide',
  description: 'Shows people around',
  instructions: 'The password is 1234.',
  model: scriptedModel('ok'),
  tools: [search],
  subAgents: [helper],
});

async function open(prefix?: string) {
  const server = await serve([], { agents: [guide, helper], ...(prefix !== undefined && { prefix }) });
  onTestFinished(() => server.close());
  return `${server.origin}${prefix ?? ''}`;
}

it('shows an agent as a card of A2A 1.0, without the envelope', async () => {
  const root = await open();
  const isCard = new Ajv2020({ allErrors: true }).compile(cardOfA2a);
  for (const id of ['guide', 'helper']) {
    const reply = await fetch(`${root}/agents/${id}/card`);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    isCard(await reply.json());
    expect(isCard.errors).toBeNull();
  }
});

it('lists the agent, its tools and its sub-agents as skills, and never its instructions', async () => {
  const root = await open();
  const card = await (await fetch(`${root}/agents/guide/card`)).text();
  expect(JSON.parse(card)).toMatchObject({
    name: 'Guide',
    description: 'Shows people around',
    capabilities: { streaming: true },
    skills: [
      { id: 'guide', tags: ['agent'] },
      { id: 'tool:search', name: 'search', description: 'Searches the web', tags: ['tool', 'search'] },
      { id: 'agent:helper', description: 'The agent "helper".' },
    ],
  });
  expect(card).not.toContain('1234');
});

it('declares no A2A interface; an extension contains the address of the agent', async () => {
  const root = await open('/v1');
  const card = await (await fetch(`${root}/agents/guide/card`)).json();
  expect(card).toMatchObject({
    supportedInterfaces: [],
    documentationUrl: `${root}/doc`,
    capabilities: { extensions: [{ required: false, params: { url: `${root}/agents/guide` } }] },
  });
});

it('replies with 404 for an unknown agent', async () => {
  const reply = await fetch(`${await open()}/agents/unknown/card`);
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({ success: false, error: 'Agent not found: unknown' });
});
