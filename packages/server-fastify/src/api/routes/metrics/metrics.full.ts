import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { agents } from '../../../testing/generation.ts';
import { json, serve } from '../../../testing/serve.ts';
import { workflows } from '../../../testing/workflows.ts';

it('is accepted by the checker of Prometheus, where it is installed', async () => {
  const { close, origin } = await serve([], { agents, workflows });
  await (await fetch(`${origin}/agents/plain/text`, json({ input: 'Hi' }))).text();
  const text = await (await fetch(`${origin}/metrics`)).text();
  await close();
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  const isInstalled = checked.error === undefined;
  expect(isInstalled ? [checked.status, checked.stdout] : [0, '']).toEqual([0, '']);
});
