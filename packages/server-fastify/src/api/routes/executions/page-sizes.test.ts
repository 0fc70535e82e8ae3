import { createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { serve } from '../../../testing/serve.ts';
import { requestWorkflows } from '../../../testing/workflows.ts';

const pageBytes = 100_000;
const text = 'x'.repeat(40_000);
const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

const keep = createWorkflow({ id: 'keep', input: Type.Object({ text: Type.String() }) }).andThen({
  id: 'measure',
  execute: ({ data }) => data.text.length,
});

it('returns executions in pages of limited size, also with their events', async () => {
  const { close, origin } = await serve([], { workflows: [keep], limits: { pageBytes } });
  try {
    for (const executionId of ids)
      await requestWorkflows(origin, '/keep/execute', { input: { text }, options: { executionId } });

    for (const events of [true, false]) {
      const listed: string[] = [];
      for (let hasMore = true; hasMore;) {
        const after = listed.length === 0 ? '' : `&after=${listed.at(-1)}`;
        const body = await (
          await fetch(`${origin}/workflows/executions?limit=6${events ? '' : '&events=false'}${after}`)
        ).text();
        // The executions, and as much again of their events.
        expect(body.length).toBeLessThan((events ? 2 : 1) * pageBytes);
        const page = JSON.parse(body) as { readonly data: readonly { readonly id: string }[]; hasMore: boolean };
        expect(page.data.length).toBe(2);
        listed.push(...page.data.map(({ id }) => id));
        ({ hasMore } = page);
      }
      expect(listed).toEqual(ids.toReversed());
    }
  } finally {
    await close();
  }
});
