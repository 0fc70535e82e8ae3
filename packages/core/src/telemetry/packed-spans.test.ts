import { type Attributes, type PackReader, type PackWriter, type SpanDetails, SpanSnapshot } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { ModelCallDetails } from './attributes/model-call.ts';
import { StepDetails } from './attributes/step.ts';
import { ToolCallDetails } from './attributes/tool-call.ts';
import { WorkflowDetails } from './attributes/workflow.ts';
import { createRecorder } from './create-recorder.ts';
import { Telemetry } from './telemetry.ts';

/** Spans as they are when they end, and what a store in this process makes of them. */
function keeping() {
  const { telemetry: store } = createInMemoryStorage();
  if (store === undefined) throw new Error('a storage in memory keeps spans');
  const clock = fixedClock(1_000);
  const telemetry = new Telemetry({ store, clock, logger: silentLogger });
  const recorder = createRecorder({ sink: telemetry, clock, resource: { 'service.name': 'test' } });
  return { clock, recorder, store, telemetry };
}

const workflow = new WorkflowDetails(
  { id: 'e-1', workflowId: 'order', workflowName: 'Order', userId: 'ada', conversationId: 'c-1' },
  { amount: 5 },
);
workflow.ended('completed', ['paid', null, 2.5]);
const silent = new WorkflowDetails({ id: 'e-2', workflowId: 'order', workflowName: 'Order' }, undefined);
const step = new StepDetails('loop/3', 'andDoWhile', 'e-1', 'naïve ☃');
step.answered(7);
step.ended(2, 'success');
const tool = new ToolCallDetails('getWeather', 'call-1', undefined, 'ada');
tool.asked({ city: 'Rome' });
tool.answered('sunny');

const call = { toolCallId: 'call-1', toolName: 'getWeather' };
const modelCall = new ModelCallDetails(undefined, 1, {}, 'c-1', [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'And in Rome?' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'See' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Rome, then' },
      { type: 'tool-call', ...call, input: { city: 'Rome' } },
    ],
  },
  { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value: { sky: 'clear' } } }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', ...call, output: { type: 'text', value: 'rain', providerOptions: { some: { more: 1 } } } },
      { type: 'tool-result', ...call, output: { type: 'execution-denied', reason: 'no' } },
      { type: 'tool-result', ...call, output: { type: 'error-text', value: 'broken' } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Clear.' }] },
]);

/** Of a long conversation: what is told of many messages at once begins anew in its midst. */
const longCall = new ModelCallDetails(
  undefined,
  0,
  {},
  undefined,
  Array.from({ length: 47 }, (_, index) => [
    { role: 'system' as const, content: `Rule ${index}` },
    { role: 'user' as const, content: [{ type: 'text' as const, text: `Question ${index}` }] },
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: `Answer ${index}` }] },
    { role: 'assistant' as const, content: [] },
    { role: 'user' as const, content: ['One', 'two'].map((text) => ({ type: 'text' as const, text })) },
  ]).flatMap((messages, index) => messages.slice(index % messages.length)),
);

/** Details of somebody else, who need not say how they are packed. */
const foreign: SpanDetails = { toAttributes: () => ({ kind: 'foreign' }), toContent: () => ({ said: 'much' }) };

class PackedNumber implements SpanDetails {
  readonly #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  toAttributes(): Attributes {
    return { value: this.#value };
  }

  toContent(): undefined {
    return undefined;
  }

  pack(to: PackWriter): void {
    to.number(this.#value);
  }

  readonly unpack = (from: PackReader): PackedNumber => new PackedNumber(from.number());
}

it.each<readonly [string, SpanDetails | undefined]>([
  ['no details', undefined],
  ['the details of a workflow', workflow],
  ['those of one whose content is not recorded', silent],
  ['the details of a step', step],
  ['the details of a tool call', tool],
  ['the details of a model call', modelCall],
  ['those of one that is asked much', longCall],
  ['the details of somebody else', foreign],
  ['a number', new PackedNumber(0.1)],
])('a span with %s says the same when it is kept in few bytes', async (_case, details) => {
  const { clock, recorder, store } = keeping();
  const near = recorder.start({ name: 'near' });
  const far = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
  const spans = [near.context, far, null].flatMap((parent) => {
    const given = { name: 'work', kind: 2 as const, parent, ...(details && { details }) };
    const plain = recorder.start(given);
    const full = recorder.start({ ...given, isEntry: true, links: [far], attributes: { own: [1, 2] } });
    clock.advance(3);
    full.addEvent('half', { of: 'it' });
    full.setAttributes({ more: true });
    plain.end();
    full.end({ error: new TypeError('broken') });
    return [plain, full];
  });

  for (const span of spans) {
    const kept = await store.findSpan('anyone', span.context.spanId);
    if (kept === undefined) throw new Error('it is not kept');
    expect(kept).not.toBe(span);
    expect(new SpanSnapshot(kept)).toEqual(new SpanSnapshot(span as never));
    expect(kept.briefAttributes).toEqual((span as never as typeof kept).briefAttributes);
  }
});

it('is packed again where it is kept longer than others', async () => {
  const { clock, recorder, store } = keeping();
  const [first, second] = ['first', 'second'].map((name) => {
    clock.advance(10);
    const span = recorder.start({ name, details: workflow });
    span.end();
    return span;
  });
  await store.purge(1_015);
  expect(await store.findSpan('anyone', first?.context.spanId ?? '')).toBeUndefined();
  const kept = await store.findSpan('anyone', second?.context.spanId ?? '');
  expect(kept && new SpanSnapshot(kept)).toEqual(new SpanSnapshot(second as never));
});

it('does not hold on to more than a few kilobytes of what is long: that is put into words, which are cut', async () => {
  const { recorder, store } = keeping();
  const details = new ToolCallDetails('read', 'call-1', undefined, undefined);
  details.asked({ bytes: new Uint8Array(10_000_000), text: 'x'.repeat(100_000) });
  const span = recorder.start({ name: 'work', details });
  span.end();

  const kept = await store.findSpan('anyone', span.context.spanId);
  expect(kept?.unpack).toBeUndefined();
  const said = String(kept?.attributes['gen_ai.tool.call.arguments']);
  expect(said).toMatch(/^\{"bytes":"\[binary, 10000000 bytes\]","text":"x+/);
  expect(said.length).toBeLessThan(33_000);
});
