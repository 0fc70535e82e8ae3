import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it } from 'vitest';
import { json, serve } from '../../testing/serve.ts';

it('refuses schemas slowly, so that a client that sends the next at once does not keep the server busy', async () => {
  const agents = [new Agent({ id: 'empty', model: scriptedModel('{}') })];
  const { close, origin } = await serve([], { agents, limits: { schemasPerCaller: 1 } });
  const began = performance.now();
  const replies = ['a', 'b', 'c', 'd', 'e', 'f'].map(async (title) => {
    const { status } = await fetch(
      `${origin}/agents/empty/object`,
      json({ input: 'hi', schema: { type: 'object', title } }),
    );
    return { status, ms: performance.now() - began };
  });
  const refused = (await Promise.all(replies)).filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { ms } of refused) expect(ms).toBeGreaterThan(950);
  await close();
});
