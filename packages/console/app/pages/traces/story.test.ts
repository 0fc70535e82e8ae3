import { expect, it } from 'vitest';
import { type Span, toWaterfall } from './span-rows.ts';
import { toConversation, type StoryLine, type StoryNames, toStory } from './story.ts';

const epoch = Date.parse('2027-01-01T00:00:00Z');
const names: StoryNames = {
  step: (workflowId, stepId) => (workflowId === 'refund' && stepId === 'pay' ? 'Pay the money back' : undefined),
  waitsFor: (tool) => (tool === 'giveVoucher' ? 'person' : tool === 'locate' ? 'client' : undefined),
};

let count = 0;
const span = (spanId: string, parentSpanId: string | null, name: string, fields: Partial<Span>): Span =>
  ({
    spanId,
    parentSpanId,
    name,
    durationMs: 1,
    startTime: new Date(epoch + (count += 1)).toISOString(),
    endTime: new Date(epoch + count).toISOString(),
    attributes: {},
    events: [],
    status: { code: 0 },
    ...fields,
  }) as Partial<Span> as Span;

const messages = (role: string, ...parts: object[]): string => JSON.stringify([{ role, parts }]);
const text = (content: string): object => ({ type: 'text', content });
const call = (id: string, name: string, input: object): object => ({ type: 'tool_call', id, name, arguments: input });
const agent = (id: string, parent: string | null, name: string, question: string, more: Partial<Span> = {}): Span =>
  span(id, parent, `invoke_agent ${name}`, {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.input.messages': messages('user', text(question)),
    },
    ...more,
  });
const model = (id: string, parent: string, ...parts: object[]): Span =>
  span(id, parent, 'chat gpt', {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.output.messages': messages('assistant', ...parts),
    },
  });
const tool = (id: string, parent: string, name: string, callId: string, input: object, result: string): Span =>
  span(id, parent, `execute_tool ${name}`, {
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.call.arguments': JSON.stringify(input),
      'gen_ai.tool.call.result': result,
    },
  });
const memory = (id: string, parent: string, operation: string, more: Partial<Span> = {}): Span =>
  span(id, parent, `memory ${operation}`, { attributes: { 'halyard.memory.operation': operation }, ...more });

const rowsOf = (spans: readonly Span[]) => toWaterfall(spans, new Set(), epoch).rows;
const told = (lines: readonly StoryLine[]): readonly string[] =>
  lines.map(
    ({ depth, outcome, state, title }) =>
      `${'-'.repeat(depth)}${title}${outcome === undefined ? '' : ` → ${outcome}`}${state === 'ok' ? '' : ` [${state}]`}`,
  );
const story = (spans: readonly Span[]): readonly string[] => told(toStory(rowsOf(spans), names));

const asked = [
  agent('a', null, 'Front desk', 'Where is it?'),
  memory('m1', 'a', 'read'),
  memory('m2', 'a', 'recall'),
  span('m3', 'm2', 'embeddings small', { attributes: { 'gen_ai.operation.name': 'embeddings' } }),
  model('c1', 'a', call('1', 'ask_orders', { task: 'Track K-1' })),
  tool('t1', 'a', 'ask_orders', '1', { task: 'Track K-1' }, 'In Leipzig'),
  agent('b', 't1', 'Orders', 'Track K-1'),
  model('c2', 'b', call('2', 'trackParcel', { orderId: 'K-1', a: 1, b: [2], c: 3 })),
  tool('t2', 'b', 'trackParcel', '2', { orderId: 'K-1', a: 1, b: [2], c: 3 }, '{"place":"Leipzig"}'),
  model('c3', 'b', text('In Leipzig')),
  model('c4', 'a', text('It is\nin Leipzig.')),
  memory('m4', 'a', 'write'),
  memory('m5', 'a', 'write'),
];

it('tells a run with a sub-agent, one line for each thing that happened', () => {
  expect(story(asked)).toEqual([
    'Front desk was asked “Where is it?”',
    '-Read the messages, recalled earlier messages',
    '-Asked gpt-5-mini → asks Orders',
    '-Asked Orders “Track K-1” → In Leipzig',
    '--Asked gpt-5-mini → calls trackParcel',
    '--Called trackParcel(orderId: K-1, a: 1, b: [2], …) → {"place":"Leipzig"}',
    '--Asked gpt-5-mini → “In Leipzig”',
    '-Asked gpt-5-mini → “It is in Leipzig.”',
    '-Saved the messages',
  ]);
});

it('leaves no span without a line', () => {
  const ids = toStory(rowsOf(asked), names).flatMap(({ spanIds }) => spanIds);
  expect(ids.toSorted()).toEqual(asked.map(({ spanId }) => spanId).toSorted());
});

it('begins a durable reply with its agent, unless the execution around it failed', () => {
  const failed = { code: 2, message: 'The server stopped' };
  const durable = (status: object): readonly Span[] => [
    span('w', null, 'workflow answer:front-desk', {
      attributes: { 'entity.type': 'workflow' },
      status,
    } as Partial<Span>),
    span('s', 'w', 'step answer', { attributes: { 'halyard.step.id': 'answer' } }),
    agent('a', 's', 'Front desk', 'Where is it?'),
    model('c', 'a', text('In Leipzig')),
  ];
  expect(story(durable({ code: 0 }))).toEqual([
    'Front desk was asked “Where is it?”',
    '-Asked gpt-5-mini → “In Leipzig”',
  ]);
  expect(story(durable(failed))).toHaveLength(4);
});

it('adds up the cost of what runs below a line', () => {
  const priced = asked.map((each) =>
    each.name.startsWith('chat') ? { ...each, attributes: { ...each.attributes, 'gen_ai.usage.cost': 0.25 } } : each,
  );
  const costs = toStory(rowsOf(priced), names).map(({ cost }) => cost);
  expect(costs).toEqual([1, undefined, 0.25, 0.5, 0.25, undefined, 0.25, 0.25, undefined]);
});

it('says of a call that did not run whom it waits for', () => {
  const parts = [call('1', 'giveVoucher', { euros: 50 }), call('2', 'locate', {}), call('3', 'gone', {})];
  expect(story([agent('a', null, 'Desk', 'Sorry?'), model('c', 'a', ...parts)]).slice(2)).toEqual([
    '-Called giveVoucher(euros: 50) → waits for a person [waiting]',
    '-Called locate() → waits for the client [waiting]',
    '-Called gone() → did not run [skipped]',
  ]);
});

it('gives the reason of a failure where it happened, and names steps as their workflow does', () => {
  const failed = { status: { code: 2, message: 'The bank is closed' } } as const;
  const workflow = { 'entity.type': 'workflow', 'entity.id': 'refund', 'halyard.workflow.name': 'Refund' };
  const step = (id: string, outcome: string): Span['attributes'] => ({
    'halyard.step.id': id,
    'halyard.step.outcome': outcome,
  });
  expect(
    story([
      span('w', null, 'workflow refund', { attributes: workflow, ...failed }),
      span('s1', 'w', 'step large', { attributes: step('large', 'skipped') }),
      span('s2', 'w', 'step ask', {
        attributes: step('ask', 'suspended'),
        events: [{ name: 'suspended', time: '', attributes: { 'halyard.suspension.reason': 'Who pays?' } }],
      }),
      span('s3', 'w', 'step pay', { attributes: step('pay', 'error'), ...failed }),
    ]),
  ).toEqual([
    'Ran Refund [error]',
    '-Step large → skipped [skipped]',
    '-Step ask → waits for a person: Who pays? [suspended]',
    '-Pay the money back → The bank is closed [error]',
  ]);
});

it('gives the reason of a failed sub-agent once, and another one of those above it', () => {
  const failed = (message: string) => ({ status: { code: 2, message } }) as const;
  const closed = failed('The model of agent "Orders" failed: 503');
  const asks = tool('t', 'a', 'ask_orders', '1', {}, '');
  const run = [
    agent('a', null, 'Desk', 'Hi', failed('Too many failures')),
    { ...asks, ...closed },
    agent('b', 't', 'Orders', 'Track', closed),
  ];
  expect(story(run)).toEqual([
    'Desk was asked “Hi” → Too many failures [error]',
    '-Asked Orders “Track” → 503 [error]',
  ]);
  expect(story([...run, { ...model('c', 'b'), ...closed }]).slice(1)).toEqual([
    '-Asked Orders “Track” [error]',
    '--Asked gpt-5-mini → 503 [error]',
  ]);
});

it('tells a trial apart from a question', () => {
  const run = agent('a', null, 'Desk', 'Hi');
  const trial = { ...run, attributes: { ...run.attributes, 'halyard.operation': 'try' } };
  expect(story([trial])).toEqual(['Desk was tried with “Hi”']);
});

it('keeps a failure of the memory as a line of its own', () => {
  const failed = { status: { code: 2, message: 'no database' } } as const;
  const spans = [agent('a', null, 'Desk', 'Hi'), memory('m1', 'a', 'read'), memory('m2', 'a', 'recall', failed)];
  expect(story([...spans, memory('m3', 'a', 'write')]).slice(1)).toEqual([
    '-Read the messages',
    '-Recalled earlier messages → no database [error]',
    '-Saved the messages',
  ]);
});

it('shows what was said, and which spans it came from', () => {
  const conversation = toConversation(rowsOf(asked));
  expect(conversation?.earlier).toEqual([]);
  expect(conversation?.messages.map(({ message: { role }, spanIds }) => [role, ...spanIds])).toEqual([
    ['user', 'a'],
    ['assistant', 'c1'],
    ['tool', 't1', 'b', 'c2', 't2', 'c3'],
    ['assistant', 'c4'],
  ]);
});

it('puts the messages before the question apart, and has none without a recorded agent', () => {
  const given = JSON.stringify([
    { role: 'user', parts: [text('One')] },
    { role: 'assistant', parts: [text('Two')] },
    { role: 'user', parts: [text('Three')] },
  ]);
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.input.messages': given };
  const found = toConversation(rowsOf([span('a', null, 'invoke_agent Desk', { attributes })]));
  expect(found?.earlier).toHaveLength(2);
  expect(found?.messages.map(({ message }) => message.parts)).toEqual([[text('Three')]]);
  expect(toConversation(rowsOf([span('w', null, 'workflow refund', {})]))).toBeUndefined();
  expect(toConversation([])).toBeUndefined();
});

it('names the rating of a reply, who gave it and the note', () => {
  const rated = (id: string, rating: string, more: object = {}): Span =>
    span(id, 'a', 'feedback', { attributes: { 'entity.type': 'feedback', 'entity.id': rating, ...more } });
  const spans = [
    agent('a', null, 'Desk', 'Where?'),
    rated('f1', 'down', { 'user.id': 'ada', 'halyard.feedback.note': 'Wrong  harbour' }),
    rated('f2', 'up'),
    rated('f3', 'none', { 'user.id': 'bob' }),
  ];
  const lines = toStory(toWaterfall(spans, new Set(), epoch).rows, names).slice(1);
  expect(lines.map(({ outcome, title }) => [title, outcome])).toEqual([
    ['👎 Rated not helpful by ada', '“Wrong harbour”'],
    ['👍 Rated helpful', undefined],
    ['Rating withdrawn by bob', undefined],
  ]);
});
