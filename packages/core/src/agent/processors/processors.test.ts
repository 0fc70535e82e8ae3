import type { SpanRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { collectEvents, fixedClock, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { RunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { Processor } from './processor.ts';

const services = { logger: silentLogger };

const replacing = (name: string, from: string, to: string): Processor => ({
  name,
  processInput: ({ text }) => ({ action: 'modify', text: text.replaceAll(from, to) }),
  processOutput: ({ text }) => ({ action: 'modify', text: text.replaceAll(from, to) }),
});

it('works in the order of the list, and calls guardrails after it', async () => {
  const model = scriptedModel('a');
  const agent = new Agent({
    id: 'a',
    model,
    processors: [replacing('first', 'a', 'b'), replacing('second', 'b', 'c')],
    inputGuardrails: [{ name: 'last', check: (text) => ({ action: 'modify', text: `${text}!` }) }],
    outputGuardrails: [{ name: 'last', check: (text) => ({ action: 'modify', text: `${text}?` }) }],
  });

  const { text } = await agent.generateText('a', { services });

  expect(model.calls[0]?.prompt).toMatchObject([{ content: [{ text: 'c!' }] }]);
  expect(text).toBe('c?');
});

it('streams released text, and passes held text to the processor again', async () => {
  const seen: string[] = [];
  const words: Processor = {
    name: 'whole words',
    processOutput: ({ isComplete, text }) => {
      seen.push(text);
      const end = isComplete ? text.length : text.lastIndexOf(' ') + 1;
      return { action: 'modify', text: text.slice(0, end).toUpperCase(), hold: text.slice(end) };
    },
  };
  const agent = new Agent({ id: 'a', model: scriptedModel({ text: ['on', 'e tw', 'o three'] }), processors: [words] });

  const events = await collectEvents(await agent.streamText('Go', { services }));

  expect(events.flatMap((event) => (event.type === 'text-delta' ? event.delta : []))).toEqual([
    'ONE ',
    'TWO ',
    'THREE',
  ]);
  expect(seen).toEqual(['on', 'one tw', 'two three', 'three']);
});

it('keeps each block its own text, and finds what two of them contain together', async () => {
  const agent = (...texts: readonly string[]) =>
    new Agent({
      id: 'a',
      model: scriptedModel({
        parts: texts.flatMap((delta, index) => [
          { type: 'text-start', id: String(index) },
          { type: 'text-delta', id: String(index), delta },
          { type: 'text-end', id: String(index) },
        ]),
      }),
      outputGuardrails: [
        {
          name: 'codes',
          check: (text) => ({ action: 'modify', text: text.replaceAll(/\b\d{4}\b/g, '****') }),
        },
      ],
    });
  const blocks = async (...texts: readonly string[]) => {
    const written = new Map<string, string>();
    for await (const event of await agent(...texts).streamText('Go', { services }))
      if (event.type === 'text-delta') written.set(event.id, (written.get(event.id) ?? '') + event.delta);
    return [...written.values()];
  };

  expect(await blocks('One. ', 'Two.')).toEqual(['One. ', 'Two.']);
  expect(await blocks('One 1234. ', 'Two.')).toEqual(['One ****. ', 'Two.']);
  expect(await blocks('Code 12', '34 it is.')).toEqual(['Code ****', ' it is.']);
  // Together, the blocks hide the number in a word. A person sees it.
  expect(await blocks('Code', '1234')).toEqual(['Code\n****']);
});

it('changes the prompt of each model call, and not the run', async () => {
  const look = createTool({ name: 'look', description: 'Looks', input: { type: 'object' } as const, execute: () => 1 });
  const model = scriptedModel({ toolCalls: [{ toolName: 'look', input: {} }], usage: { inputTokens: 7 } }, 'Done.');
  const steps: unknown[] = [];
  const agent = new Agent({
    id: 'a',
    model,
    tools: [look],
    processors: [
      {
        name: 'newest message',
        processStep: ({ lastUsage, prompt, step }) => {
          steps.push([step, prompt.length, lastUsage?.promptTokens]);
          return { action: 'modify', prompt: prompt.slice(-1) };
        },
      },
    ],
  });

  await agent.generateText(
    [
      { role: 'user', content: 'One' },
      { role: 'user', content: 'Two' },
    ],
    { services },
  );

  expect(steps).toEqual([
    [0, 2, undefined],
    [1, 4, 7],
  ]);
  expect(model.calls.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([['user'], ['tool']]);
});

it('blocks before a model call', async () => {
  const model = scriptedModel('Hi');
  const processors: Processor[] = [
    { name: 'budget', processStep: () => ({ action: 'block', reason: 'it is used up' }) },
  ];

  await expect(new Agent({ id: 'a', model, processors }).generateText('Go', { services })).rejects.toMatchObject({
    code: 'INPUT_BLOCKED',
    message: 'Guardrail "budget" blocked the input: it is used up',
  });
  expect(model.calls).toEqual([]);
});

it('records a span for each processor that changed or blocked something, below the run', async () => {
  const spans: SpanRecord[] = [];
  const sink = { spanStarted: () => {}, spanEnded: (span: SpanRecord) => void spans.push(span), logged: () => {} };
  const recorder = createRecorder({ sink, clock: fixedClock() });
  const options: RunOptions = { services: { logger: silentLogger, recorder } };
  const idle: Processor = { name: 'idle', processInput: () => ({ action: 'allow' }) };
  const refusing: Processor = { name: 'refuses', processOutput: () => ({ action: 'block', reason: 'never' }) };
  const processors = [idle, replacing('letters', 'a', 'b'), refusing];

  await new Agent({ id: 'a', model: scriptedModel('x'), processors }).generateText('a', options).catch(() => {});

  const run = spans.find(({ name }) => name.startsWith('invoke_agent'));
  const found = spans.filter(({ name }) => name.startsWith('processor'));
  expect(
    found.map(({ attributes, name, parentSpanId, status }) => [name, parentSpanId, status.code, attributes]),
  ).toEqual([
    [
      'processor letters',
      run?.spanId,
      0,
      expect.objectContaining({
        'halyard.processor.name': 'letters',
        'halyard.processor.hook': 'input',
        'halyard.processor.action': 'modify',
        'halyard.processor.source': 'user',
      }),
    ],
    [
      'processor refuses',
      run?.spanId,
      0,
      expect.objectContaining({
        'halyard.outcome': 'refused',
        'halyard.processor.hook': 'output',
        'halyard.processor.action': 'block',
      }),
    ],
  ]);
});
