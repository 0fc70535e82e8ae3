import { Agent } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

it.each(openaiApis)('an abort reaches the provider within a second on the %s API', async (api) => {
  const wire = await openOpenaiWire();
  onTestFinished(() => wire.close());
  wire.reply({ noAnswer: 'hang' });
  const caller = new AbortController();
  const agent = new Agent({ id: 'assistant', model: openaiModel(api, wire), generation: unset });
  const failure = agent
    .generateText('Hi', { signal: caller.signal, services: { logger: silentLogger } })
    .catch((error: unknown) => error);
  const request = await wire.request(0);

  const since = performance.now();
  caller.abort();

  await request.ended;
  expect(performance.now() - since).toBeLessThan(1_000);
  expect(await failure).toMatchObject({ code: 'ABORTED' });
});
