import { causeOf } from '../../ui/cause-of.ts';
import type { Message } from '../../ui/message-list.tsx';
import { inputOf, isOfUser, messagesOf, parsed, questionIn } from './recorded-content.ts';
import { findOrigins, kindOf, nameOf, type Span, type SpanKind, type SpanRow, stateOf } from './span-rows.ts';

/** The names and properties of the catalogue that the story uses. */
export interface StoryNames {
  readonly step: (workflowId: string, stepId: string) => string | undefined;
  /** Who runs a tool that the model called and that did not run. */
  readonly waitsFor: (toolName: string) => 'client' | 'person' | undefined;
}

/** One thing that happened in a run. */
export interface StoryLine {
  readonly id: string;
  /** The span whose details belong to the line. */
  readonly span: Span;
  /** All spans that the line stands for. */
  readonly spanIds: readonly string[];
  readonly depth: number;
  readonly kind: SpanKind;
  readonly title: string;
  /** What came of it; undefined if nothing was recorded. */
  readonly outcome: string | undefined;
  readonly state: string;
  /** In US dollars, with what runs below the line; undefined if none is known. */
  readonly cost: number | undefined;
}

/** A message of the run, and the spans that it came from or led to. */
export interface StoryMessage {
  readonly message: Message;
  readonly spanIds: readonly string[];
}

/**
 * The spans of a trace in plain words, in the order of the waterfall. An agent that was called by a
 * tool is one line with the tool, and so are calls of the memory that follow each other. The
 * execution that makes a reply durable has no line.
 */
export function toStory(rows: readonly SpanRow[], names: StoryNames): readonly StoryLine[] {
  const costs = addUp(rows);
  const lines: StoryLine[] = [];
  const lineOf = new Map<string, { readonly at: number; readonly workflowId: string | undefined }>();
  const calledIds = new Set(rows.map(({ span }) => span.attributes['gen_ai.tool.call.id']));
  const agentOf = findAgents(rows);
  const wrapperIds = findWrapper(rows);
  const repeats = findRepeats(rows);
  for (const { span } of rows) {
    if (wrapperIds.has(span.spanId)) continue;
    const { attributes, parentSpanId, spanId } = span;
    const above = parentSpanId === null ? undefined : lineOf.get(parentSpanId);
    const parent = above === undefined ? undefined : lines[above.at];
    const last = lines.at(-1);
    const workflowId =
      attributes['entity.type'] === 'workflow' ? toText(attributes['entity.id']) : (above?.workflowId ?? undefined);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    if (above !== undefined && parent !== undefined && isPartOf(span, parent)) {
      lines[above.at] = { ...merged(parent, span), outcome: parent.outcome ?? failureOf(span, repeats) };
      lineOf.set(spanId, { at: above.at, workflowId });
      continue;
    }
    if (last !== undefined && last.depth === depth && isFurtherMemory(span, last)) {
      lines[lines.length - 1] = merged(last, span);
      lineOf.set(spanId, { at: lines.length - 1, workflowId });
      continue;
    }
    lineOf.set(spanId, { at: lines.length, workflowId });
    lines.push({
      id: spanId,
      span,
      spanIds: [spanId],
      depth,
      kind: kindOf(span),
      title: titleOf(span, depth, workflowId, names),
      outcome: repeats.has(spanId) ? undefined : outcomeOf(span, agentOf),
      state: lineState(span),
      cost: costs.get(spanId),
    });
    lines.push(...openCalls(span, depth, calledIds, names));
  }
  return lines;
}

/** The execution of a durable reply and its step, unless one of them is the reason of a failure. */
function findWrapper(rows: readonly SpanRow[]): ReadonlySet<string> {
  const [root, step, agent] = rows.slice(0, 3).map(({ span }) => span);
  if (root === undefined || step === undefined || agent === undefined) return new Set();
  const isWrapped =
    root.name.startsWith('workflow answer:') && step.name === 'step answer' && kindOf(agent) === 'agent';
  const origins = findOrigins(rows.map(({ span }) => span));
  return new Set(isWrapped && !origins.includes(root) && !origins.includes(step) ? [root.spanId, step.spanId] : []);
}

/** The failed spans whose reason is that of a span below them, which gives it. */
function findRepeats(rows: readonly SpanRow[]): ReadonlySet<string> {
  const messages = new Map(rows.map(({ span }) => [span.spanId, span.status.message]));
  return new Set(
    rows.flatMap(({ span: { parentSpanId, status } }) => {
      if (parentSpanId === null || status.code !== 2 || status.message === undefined) return [];
      return messages.get(parentSpanId)?.includes(status.message) === true ? [parentSpanId] : [];
    }),
  );
}

function failureOf({ spanId, status }: Span, repeats: ReadonlySet<string>): string | undefined {
  if (status.code !== 2 || repeats.has(spanId)) return undefined;
  return causeOf(status.message ?? 'No reason was recorded');
}

/** The cost of each span with those below it. Children come after their parents. */
function addUp(rows: readonly SpanRow[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { span } of rows.toReversed()) {
    const own = span.attributes['gen_ai.usage.cost'];
    const below = costs.get(span.spanId);
    if (typeof own !== 'number' && below === undefined) continue;
    const cost = (typeof own === 'number' ? own : 0) + (below ?? 0);
    costs.set(span.spanId, cost);
    if (span.parentSpanId !== null) costs.set(span.parentSpanId, (costs.get(span.parentSpanId) ?? 0) + cost);
  }
  return costs;
}

/** The names of the agents that tools ask. */
function findAgents(rows: readonly SpanRow[]): ReadonlyMap<string, string> {
  const tools = new Map(rows.flatMap(({ span }) => (kindOf(span) === 'tool' ? [[span.spanId, nameOf(span)]] : [])));
  return new Map(
    rows.flatMap(({ span }) => {
      const tool = kindOf(span) === 'agent' ? tools.get(span.parentSpanId ?? '') : undefined;
      return tool === undefined ? [] : [[tool, agentName(span)]];
    }),
  );
}

/** An agent below the tool that asks it; and what the memory does for one of its operations. */
function isPartOf(span: Span, line: StoryLine): boolean {
  if (line.kind === 'memory') return true;
  return kindOf(span) === 'agent' && line.kind === 'tool' && line.spanIds.length === 1;
}

function isFurtherMemory(span: Span, last: StoryLine): boolean {
  return kindOf(span) === 'memory' && last.kind === 'memory' && span.status.code !== 2 && last.state !== 'error';
}

function merged(line: StoryLine, span: Span): StoryLine {
  const spanIds = [...line.spanIds, span.spanId];
  if (kindOf(span) === 'agent') {
    const question = questionIn(messagesOf(span.attributes['gen_ai.input.messages']));
    return { ...line, spanIds, kind: 'agent', title: join(`Asked ${agentName(span)}`, question && quote(question)) };
  }
  const state = line.state === 'ok' ? lineState(span) : line.state;
  if (kindOf(span) !== 'memory') return { ...line, spanIds, state };
  const done = memoryWords(span);
  const isSaid = line.title.toLowerCase().includes(done.toLowerCase());
  return { ...line, spanIds, state, title: isSaid ? line.title : `${line.title}, ${done}` };
}

function titleOf(span: Span, depth: number, workflowId: string | undefined, names: StoryNames): string {
  const { attributes } = span;
  const stepId = toText(attributes['halyard.step.id']);
  switch (kindOf(span)) {
    case 'agent': {
      const question = questionIn(messagesOf(attributes['gen_ai.input.messages']));
      const asked = attributes['halyard.operation'] === 'try' ? 'was tried with' : 'was asked';
      const title = depth === 0 ? `${agentName(span)} ${asked}` : `Asked ${agentName(span)}`;
      return join(title, question && quote(question));
    }
    case 'model':
      return `Asked ${toText(attributes['gen_ai.response.model']) ?? toText(attributes['gen_ai.request.model']) ?? nameOf(span)}`;
    case 'tool':
      return `Called ${describeCall(nameOf(span), inputOf(span))}`;
    case 'workflow':
      if (stepId !== undefined)
        return (workflowId === undefined ? undefined : names.step(workflowId, stepId)) ?? `Step ${stepId}`;
      return `Ran ${nameOf(span)}`;
    case 'memory': {
      const words = memoryWords(span);
      return words.charAt(0).toUpperCase() + words.slice(1);
    }
    case 'other': {
      const feedback = feedbackWords(span);
      if (feedback !== undefined) return feedback;
      const processor = toText(attributes['halyard.processor.name']);
      if (processor === undefined) return nameOf(span);
      const action = toText(attributes['halyard.processor.action']) ?? '';
      return `${processor} ${processorWords[action] ?? action}`;
    }
  }
}

const ratingWords: Readonly<Record<string, string>> = {
  up: '👍 Rated helpful',
  down: '👎 Rated not helpful',
  none: 'Rating withdrawn',
};

/** Undefined for a span that is no feedback. */
function feedbackWords({ attributes }: Span): string | undefined {
  if (attributes['entity.type'] !== 'feedback') return undefined;
  const words = ratingWords[String(attributes['entity.id'])];
  return join(words ?? 'Rated', toText(attributes['user.id']) && `by ${toText(attributes['user.id'])}`);
}

const processorWords: Readonly<Record<string, string>> = {
  modify: 'changed the text',
  block: 'stopped the run',
  fail: 'failed',
};

const memoryNames: Readonly<Record<string, string>> = {
  read: 'read the messages',
  'working-memory': 'read the working memory',
  recall: 'recalled earlier messages',
  write: 'saved the messages',
};

function memoryWords({ attributes, name }: Span): string {
  return memoryNames[String(attributes['halyard.memory.operation'])] ?? name;
}

function agentName(span: Span): string {
  return toText(span.attributes['gen_ai.agent.name']) ?? nameOf(span);
}

/** `refund(orderId: K-1042, euros: 59)`. */
function describeCall(name: string, input: unknown): string {
  if (typeof input !== 'object' || input === null) return name;
  const shown = Object.entries(input).map(([key, value]) => `${key}: ${short(asText(value), 40)}`);
  const more = shown.length > 3 ? [...shown.slice(0, 3), '…'] : shown;
  return `${name}(${more.join(', ')})`;
}

function outcomeOf(span: Span, agentOf: ReadonlyMap<string, string>): string | undefined {
  const { attributes, events, status } = span;
  if (status.code === 2 || status.message !== undefined) return causeOf(status.message ?? 'No reason was recorded');
  const stepOutcome = toText(attributes['halyard.step.outcome']);
  if (stepOutcome === 'suspended' || attributes['halyard.execution.status'] === 'suspended') {
    const reason = toText(events.find(({ name }) => name === 'suspended')?.attributes?.['halyard.suspension.reason']);
    return join('waits for a person', reason && `: ${reason}`, '');
  }
  if (stepOutcome !== undefined && stepOutcome !== 'success') return stepOutcome;
  if (kindOf(span) === 'model') {
    const parts = messagesOf(attributes['gen_ai.output.messages']).flatMap((message) => message.parts);
    const calls = parts.filter(({ type }) => type === 'tool_call').map(({ name = 'a tool' }) => name);
    if (calls.length > 0) {
      return calls.map((name) => (agentOf.has(name) ? `asks ${agentOf.get(name)}` : `calls ${name}`)).join(', ');
    }
    const text = parts.find(({ type }) => type === 'text')?.content;
    return typeof text === 'string' && text !== '' ? quote(text) : undefined;
  }
  if (kindOf(span) === 'agent') return undefined;
  const note = toText(attributes['halyard.feedback.note']);
  if (note !== undefined) return quote(note);
  const output = parsed(attributes['gen_ai.tool.call.result'] ?? attributes['halyard.output']);
  return output === undefined ? undefined : short(asText(output), 120);
}

function lineState(span: Span): string {
  const { attributes } = span;
  const outcome = attributes['halyard.step.outcome'] ?? attributes['halyard.execution.status'];
  return outcome === 'suspended' || outcome === 'skipped' ? outcome : stateOf(span);
}

/** The calls that a model asked for and that no span runs. */
function openCalls(
  span: Span,
  depth: number,
  calledIds: ReadonlySet<unknown>,
  { waitsFor }: StoryNames,
): readonly StoryLine[] {
  if (kindOf(span) !== 'model' || span.status.code === 2) return [];
  return messagesOf(span.attributes['gen_ai.output.messages']).flatMap(({ parts }) =>
    parts
      .filter(({ id, type }) => type === 'tool_call' && id !== undefined && !calledIds.has(id))
      .map(({ arguments: input, id, name = 'a tool' }): StoryLine => {
        const waits = waitsFor(name);
        return {
          id: `${span.spanId}/${id}`,
          span,
          spanIds: [],
          depth,
          kind: 'tool',
          title: `Called ${describeCall(name, input)}`,
          outcome: waits === undefined ? 'did not run' : `waits for ${waits === 'person' ? 'a person' : 'the client'}`,
          state: waits === undefined ? 'skipped' : 'waiting',
          cost: undefined,
        };
      }),
  );
}

/**
 * The messages of the first agent of a trace: what it was given, then what its model and its tools
 * said. Undefined without an agent whose messages were recorded.
 */
export function toConversation(
  rows: readonly SpanRow[],
): { readonly earlier: readonly Message[]; readonly messages: readonly StoryMessage[] } | undefined {
  const agent = rows.find(({ span }) => kindOf(span) === 'agent')?.span;
  const given = messagesOf(agent?.attributes['gen_ai.input.messages']);
  if (agent === undefined || given.length === 0) return undefined;
  const asked = given.findLastIndex(isOfUser);
  const earlier = given.slice(0, Math.max(asked, 0));
  const messages: StoryMessage[] = given
    .slice(Math.max(asked, 0))
    .map((message) => ({ message, spanIds: [agent.spanId] }));
  for (const [at, { span }] of rows.entries()) {
    if (span.parentSpanId !== agent.spanId) continue;
    const { attributes, spanId } = span;
    if (kindOf(span) === 'model') {
      for (const message of messagesOf(attributes['gen_ai.output.messages']))
        if (message.parts.length > 0) messages.push({ message, spanIds: [spanId] });
    } else if (kindOf(span) === 'tool') {
      const result = attributes['gen_ai.tool.call.result'];
      const name = nameOf(span);
      const response = span.status.code === 2 ? span.status.message : parsed(result);
      if (response === undefined) continue;
      messages.push({
        message: { role: 'tool', parts: [{ type: 'tool_call_response', name, response }] },
        spanIds: [spanId, ...spansBelow(rows, at)],
      });
    }
  }
  return { earlier, messages };
}

function spansBelow(rows: readonly SpanRow[], at: number): readonly string[] {
  const { depth = 0 } = rows[at] ?? {};
  const ids: string[] = [];
  for (let next = at + 1; (rows[next]?.depth ?? 0) > depth; next += 1) ids.push(rows[next]?.span.spanId ?? '');
  return ids;
}

function quote(text: string): string {
  return `“${short(text, 120)}”`;
}

function short(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function join(first: string, second: string | undefined, between = ' '): string {
  return second === undefined || second === '' ? first : `${first}${between}${second}`;
}
