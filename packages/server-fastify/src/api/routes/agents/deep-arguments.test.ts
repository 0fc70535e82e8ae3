import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, serve } from '../../../testing/serve.ts';

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

async function serveWith(input: string, limits: { readonly jsonDepth?: number } = {}): Promise<string> {
  let calls = 0;
  const save = createTool({
    name: 'save',
    description: 'Saves',
    input: { type: 'object' } as const,
    execute: () => `saved ${(calls += 1)}`,
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'save', input }] }, 'Done.');
  const server = await serve([], { agents: [new Agent({ id: 'a', model, tools: [save] })], limits });
  onTestFinished(() => server.close());
  return server.origin;
}

describe('arguments of a tool that are nested 20 000 levels deep', () => {
  const deep = nested(20_000);

  it.each([
    ['without a conversation', {}],
    ['in a conversation', { userId: 'ada', conversationId: 'c' }],
  ])('are refused to the model, which can go on: %s', async (_, options) => {
    const origin = await serveWith(deep);
    const reply = await fetch(`${origin}/agents/a/text`, json({ input: 'Save it', options }));
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ data: { text: 'Done.' } });
  });

  it('are a 400 where a client sends them', async () => {
    for (const limits of [{}, { jsonDepth: 100_000, jsonValues: 100_000 }]) {
      const origin = await serveWith(deep, limits);
      const reply = await fetch(`${origin}/tools/save/execute`, json(`{"input":${deep}}`));
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        success: false,
        error: expect.stringContaining('nested deeper than'),
      });
    }
  });
});

it('runs a tool with arguments that are nested as deep as allowed', async () => {
  const events = await fetch(`${await serveWith(nested(256))}/agents/a/stream`, json({ input: 'Save it' }));
  expect(await events.text()).toContain('"output":"saved 1"');
  const refused = await fetch(`${await serveWith(nested(257))}/agents/a/stream`, json({ input: 'Save it' }));
  expect(await refused.text()).toContain('input must not be nested deeper than 256 levels');
});
