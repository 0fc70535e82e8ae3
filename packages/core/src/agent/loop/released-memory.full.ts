import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describedSpan, silentLogger, type SpanRecord, type TelemetrySink } from '@halyard/contracts';
import { expect, it, vi } from 'vitest';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { type ScriptedModel, scriptedModel } from '../../testing/scripted-model.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';
import { systemClock } from '../default-services.ts';

/** A recorder that keeps its spans as a store does. */
function storing(recordsContent = true) {
  const spans: SpanRecord[] = [];
  const sink: TelemetrySink = { spanStarted: () => {}, spanEnded: (span) => void spans.push(span), logged: () => {} };
  return { spans, recorder: createRecorder({ sink, clock: systemClock, recordsContent }) };
}

it.each([
  ['is recorded, apart from its sources', true, 1],
  ['is not recorded', false, 2],
])('releases an answer whose content %s', async (_, recordsContent, released) => {
  const { recorder, spans } = storing(recordsContent);
  const answers: WeakRef<object>[] = [];
  const tracked = (): { provider: { id: string } } => {
    const provider = { id: 'x' };
    answers.push(new WeakRef(provider));
    return { provider };
  };
  const model = scriptedModel(() => ({
    parts: [
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example', providerMetadata: tracked() },
      { type: 'custom', kind: 'provider.note', providerMetadata: tracked() },
    ],
  }));

  await new Agent({ id: 'a', model }).generateText('question', { services: { logger: silentLogger, recorder } });

  await vi.waitFor(
    () => {
      collectGarbage();
      expect(answers.map((answer) => answer.deref()).filter((answer) => answer === undefined)).toHaveLength(released);
    },
    { timeout: 60_000 },
  );
  expect(spans.map(describedSpan)).toHaveLength(2);
});

it('releases the run of a tool call whose span is stored', async () => {
  const { recorder, spans } = storing();
  const run = async (): Promise<WeakRef<object>> => {
    const context = { tenant: 'x' };
    const look = createTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' } as const,
      execute: () => 'seen',
    });
    const model = scriptedModel({ toolCalls: [{ toolName: 'look', input: {} }] }, 'Done.');
    const agent = new Agent({ id: 'a', model, tools: [look] });
    await agent.generateText('question', { context, services: { logger: silentLogger, recorder } });
    return new WeakRef(context);
  };

  const context = await run();

  await vi.waitFor(
    () => {
      collectGarbage();
      expect(context.deref() === undefined).toBe(true);
    },
    { timeout: 60_000 },
  );
  expect(spans.map((span) => describedSpan(span).name)).toContain('execute_tool look');
});

it.each<[string, (text: string) => unknown]>([
  ['a text', (text) => text],
  ['an object with a text', (text) => ({ text })],
  ['a failure', (text) => Promise.reject(new Error(text))],
])('does not retain the whole of a large tool result whose attribute is cut: %s', async (_, execute) => {
  const { recorder, spans } = storing();
  const [calls, length] = [20, 2_000_000];
  const read = createTool({
    name: 'read',
    description: 'Reads.',
    input: { type: 'object' } as const,
    execute: () => execute('x'.repeat(length)),
  });
  collectGarbage();
  const before = usedMemory();
  for (let call = 0; call < calls; call += 1) {
    const scripted = scriptedModel({ toolCalls: [{ toolName: 'read', input: {} }] }, 'Done.');
    // A scripted model retains the prompts of its calls.
    const model: ScriptedModel = {
      ...scripted,
      doGenerate: (options) => scripted.doGenerate({ ...options, prompt: [] }),
    };
    await new Agent({ id: 'a', model, tools: [read] }).generateText('question', {
      services: { logger: silentLogger, recorder },
    });
  }

  await vi.waitFor(
    () => {
      collectGarbage();
      expect(usedMemory() - before).toBeLessThan((calls * length) / 4);
    },
    { timeout: 60_000 },
  );
  expect(spans.map(({ name }) => name).filter((name) => name === 'execute_tool read')).toHaveLength(calls);
});

/** Large texts may be outside of the heap. */
function usedMemory(): number {
  const { external, heapUsed } = memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
