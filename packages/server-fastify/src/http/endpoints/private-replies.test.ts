import { createMemory } from '@halyard/core';
import { expect, it } from 'vitest';
import { serve } from '../../testing/serve.ts';

it('lets no cache keep an answer, which depends on credentials that caches do not know', async () => {
  const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
  const server = await serve([], { memory: createMemory(), auth: { provider, consoleKey: 'the key' } });
  const asked = {
    '/api/memory/conversations': 'Bearer ada',
    '/approvals?key=the%20key': '',
    '/agents?key=the%20key': '',
  };
  for (const [path, authorization] of Object.entries(asked)) {
    const headers = authorization === '' ? {} : { authorization };
    const { status, headers: answered } = await fetch(`${server.origin}${path}`, { headers });
    expect([path, status, answered.get('cache-control')]).toEqual([path, 200, 'no-store']);
  }
  await server.close();
});
