import * as fc from 'fast-check';
import type { Attack } from '../harness/attack.ts';
import { send } from '../harness/http-client.ts';
import { envelopeFault, internalsIn } from '../harness/reply-faults.ts';
import { type Api, readApi } from './api-document.ts';
import { canonical, parseStream } from './event-stream.ts';
import { hostileTexts, hostileValues } from './hostile-values.ts';

const id = fc.constantFrom('a', 'a', 'b', '', '\n', '__proto__');
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), hostileTexts);
const toolName = fc.constantFrom('record', 'record', 'fail', 'ask_plain', 'unknown', '', 'constructor', '../x');
/**
 * Arguments as the model writes them: JSON that fits the tool, JSON that does not, and text that is
 * not JSON.
 */
const toolArguments = fc.oneof(
  fc
    .record({ count: fc.integer({ min: -3, max: 13 }), name: fc.string({ maxLength: 7 }) })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '{"count":1,"name":"a","more":1}',
    '{"count":"1","name":"a"}',
    '{"count":1e999}',
    '{"__proto__":{"count":1},"name":"a"}',
    '{"count":1,"name":"a"}}',
  ),
  hostileValues.map((value) => JSON.stringify(value)),
  text,
);
const metadata = fc.option(fc.constantFrom({ p: { a: 1 } }, {}, JSON.parse('{"__proto__":{"a":1}}') as object), {
  nil: undefined,
  freq: 1,
});
const url = fc.constantFrom(
  'https://a.example/',
  'javascript:alert(1)',
  'data:text/html,a',
  'file:///etc/passwd',
  '',
  'x',
);

/**
 * Parts of a model's stream, in any order: blocks that never started or end twice, calls and
 * results of unknown tools, and so on.
 */
const parts = fc.oneof(
  fc.record({
    type: fc.constantFrom('text-start', 'text-end', 'reasoning-start', 'reasoning-end', 'tool-input-end'),
    id,
    providerMetadata: metadata,
  }),
  fc.record({
    type: fc.constantFrom('text-delta', 'reasoning-delta', 'tool-input-delta'),
    id,
    delta: text,
    providerMetadata: metadata,
  }),
  fc.record({
    type: fc.constant('tool-input-start'),
    id,
    toolName,
    providerExecuted: fc.option(fc.boolean(), { nil: undefined }),
  }),
  fc.record({
    type: fc.constant('tool-call'),
    toolCallId: id,
    toolName,
    input: toolArguments,
    providerExecuted: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
  }),
  fc.record({
    type: fc.constant('tool-result'),
    toolCallId: id,
    toolName,
    result: hostileValues,
    isError: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('source'),
    sourceType: fc.constantFrom('url', 'document'),
    id,
    url,
    title: text,
    mediaType: text,
  }),
  fc.record({
    type: fc.constant('file'),
    mediaType: fc.oneof(fc.constant('image/png'), text),
    data: fc.oneof(fc.constant('aGk='), text),
  }),
  fc.record({ type: fc.constant('response-metadata'), id: text, modelId: text }),
  fc.record({ type: fc.constant('raw'), rawValue: hostileValues }),
  fc.record({ type: fc.constant('error'), error: hostileValues }),
  fc.record({ type: fc.constant('stream-start'), warnings: fc.constantFrom([], [{ type: 'other', message: 'hm' }]) }),
  fc.record({
    type: fc.oneof(fc.constantFrom('unknown', 'abort', 'debug', 'start', 'finish-step'), text),
    any: hostileValues,
  }),
  hostileValues,
);
/** A turn of `scriptedModel`. */
const turns = fc.record(
  {
    parts: fc.array(parts, { maxLength: 8 }),
    text: fc.oneof(text, fc.array(text, { maxLength: 4 })),
    reasoning: text,
    toolCalls: fc.array(fc.record({ toolName, toolCallId: id, input: toolArguments }), { maxLength: 3 }),
    finishReason: fc.constantFrom('stop', 'length', 'content-filter', 'tool-calls', 'error', 'other', 'unknown', ''),
    usage: fc.constantFrom(
      {},
      { inputTokens: -1 },
      { inputTokens: 1e308, outputTokens: 0.5 },
      { outputTokens: 'many' },
    ),
    breaksOff: fc.boolean(),
    error: text,
    failAfterText: fc.boolean(),
  },
  { requiredKeys: ['parts'] },
);

/**
 * Each run begins with arguments that `record` must not accept: random ones seldom name the tool
 * and come near its schema.
 */
const nearMisses = ['{"count":11,"name":"a"}', '{"count":1,"name":"longer"}', '{"count":1,"name":"a","more":1}'].map(
  (input): [object] => [{ parts: [], toolCalls: [{ toolName: 'record', toolCallId: 'a', input }] }],
);

const routes = ['text', 'stream', 'chat', 'object', 'stream-object'];
/** The last event of a stream, of which there is one. */
const ends: Readonly<Record<string, ReadonlySet<unknown>>> = {
  stream: new Set(['finish', 'abort', 'error']),
  chat: new Set(['finish', 'abort', 'error']),
  'stream-object': new Set(['object', 'error']),
};

/**
 * Lets the model of an agent emit anything. Every event must be documented, and only arguments that
 * match their schema may be executed.
 */
export const modelOutput: Attack = {
  name: 'model-output',
  summary: 'arbitrary parts and tool arguments of a model',
  plants: { 'unchecked-arguments': /executed/, 'unknown-event': /must|debug/ },
  needsOwnTarget: 'it needs a model that answers as the attack tells it',
  run: async ({ bySize, open, seed }) => {
    const target = await open();
    const api = await readApi(target);
    const headers = target.headersOf('ada');
    const findings: string[] = [];
    let count = 0;
    for (const route of routes) {
      const property = fc.asyncProperty(turns, async (turn) => {
        count += 1;
        const schema = route.includes('object') ? { schema: { type: 'object' } } : {};
        const body = JSON.stringify({ input: JSON.stringify(turn), ...schema, options: { maxSteps: 3 } });
        const received = await send(target, { method: 'POST', path: `/agents/puppet/${route}`, headers, body });
        const fault = faultOf(route, received, api);
        if (fault !== undefined) throw new Error(fault);
      });
      const numRuns = bySize({ planted: 60, short: 400, long: 100_000 });
      const result = await fc.check(property, { seed, numRuns, examples: nearMisses });
      if (result.failed)
        findings.push(
          `${route}: ${String(result.errorInstance).slice(0, 600)}; ${JSON.stringify(result.counterexample).slice(0, 600)}`,
        );
    }
    return { count: `${count} answers`, findings };
  },
};

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function faultOf(route: string, { body, headers, status }: Reply, { check }: Api): string | undefined {
  const general = envelopeFault({
    status,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
  });
  if (general !== undefined) return general;
  const { events, faults } = route in ends ? parseStream([body]) : { events: [], faults: [] };
  const path = `/agents/{id}/${route}`;
  const isStream = status === 200 && route in ends;
  const documented = check.fault('POST', path, { status, headers, body: isStream ? canonical(events) : body });
  return (
    faults[0] ?? documented ?? executedFault(body) ?? revealed(body) ?? (isStream ? endFault(route, events) : undefined)
  );
}

/**
 * The model may have written the names of errors, but not the password that an error of the tool
 * contains.
 */
function revealed(body: string): string | undefined {
  return body.includes('hunter2') ? internalsIn('hunter2') : undefined;
}

/** The tool `record` returns what it was executed with. */
function executedFault(body: string): string | undefined {
  for (const [, json = ''] of body.matchAll(/"output":\{"executed":(\{[^{}]*\}|[^{}]*)\}/g)) {
    const { count, name, ...more } = JSON.parse(json) as Readonly<Record<string, unknown>>;
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= 10;
    const isName = typeof name === 'string' && Array.from(name).length <= 5;
    if (!isCount || !isName || Object.keys(more).length > 0) return `executed with ${json}`;
  }
  return undefined;
}

function endFault(route: string, events: readonly { readonly data: string }[]): string | undefined {
  const types = events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => (JSON.parse(data) as { readonly type?: unknown }).type);
  const wanted = ends[route];
  if (wanted?.has(types.at(-1)) !== true) return `the last event is ${String(types.at(-1))}`;
  const count = types.filter((type) => wanted.has(type)).length;
  return count === 1 ? undefined : `${count} events end the stream: ${types.join()}`;
}
