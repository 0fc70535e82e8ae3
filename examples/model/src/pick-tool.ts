import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { bestTool, type ScoredTool } from './best-tool.ts';
import type { PastCall } from './conversation.ts';
import { fillSchema } from './fill-schema.ts';
import { fitsSchema } from './fits-schema.ts';
import { isObject, stringsOf } from './json.ts';
import { beginsRequest, readMessage } from './read-message.ts';

/** A tool call with valid input. */
export interface Call {
  readonly toolName: string;
  readonly input: unknown;
}

export type Picked =
  | { readonly kind: 'call'; readonly calls: readonly Call[] }
  /** The tool matches, but the message does not contain its required input. */
  | { readonly kind: 'ask'; readonly toolName: string; readonly missing: readonly string[] };

export interface PickOptions {
  readonly today: Date;
  readonly choice?: LanguageModelV4CallOptions['toolChoice'];
  /** The last call before this message, for messages such as `and in Rome?`. */
  readonly lastCall?: PastCall | undefined;
}

/** The maximum number of calls for one message. */
const mostCalls = 5;

/**
 * The tool calls for a message: calls of the tool whose name and description share the most words with it. There is one call for each
 * clause with another request, and for each of several enumerated values. `undefined` if no tool matches and none is required.
 */
export function pickCalls(
  tools: readonly LanguageModelV4FunctionTool[],
  message: string,
  { choice, today, lastCall }: PickOptions,
): Picked | undefined {
  if (choice?.type === 'none') return undefined;
  if (choice?.type === 'tool' || choice?.type === 'required') {
    const best = bestTool(
      tools.filter(({ name }) => choice.type === 'required' || name === choice.toolName),
      message,
      { today, least: 0 },
    );
    const input = best?.filled?.value;
    return best === undefined || input === undefined
      ? undefined
      : { kind: 'call', calls: [{ toolName: best.tool.name, input }] };
  }
  if (/^\s*(?:thanks|thank you|thx|great|cool|perfect)\b[^?]*$/iu.test(message)) return undefined;

  const asking = clausesOf(message)
    .map((clause) => ({ clause, best: bestFor(tools, clause, today) }))
    .filter(({ best }) => isAnswerable(best));
  const isOneTask = asking.every(({ best }) => best?.takesWhole === true && best.tool === asking[0]?.best?.tool);
  if (asking.length > 1 && !isOneTask) {
    return { kind: 'call', calls: distinct(asking.flatMap(({ clause, best }) => callsOf(best, clause, today))) };
  }
  const best = bestFor(tools, message, today);
  if (isAnswerable(best)) return { kind: 'call', calls: distinct(callsOf(best, message, today)) };
  if (best !== undefined) return { kind: 'ask', toolName: best.tool.name, missing: requiredOf(best.tool) };
  return followUp(tools, message, today, lastCall);
}

/** The calls of a tool for a message that answers a question for missing input. */
export function callWith(tool: LanguageModelV4FunctionTool, message: string, today: Date): Picked | undefined {
  const scored = bestTool([tool], message, { today, least: 0 });
  return isAnswerable(scored) ? { kind: 'call', calls: callsOf(scored, message, today) } : undefined;
}

/** The minimum match between message and tool: a significant word of its name or description, or a synonym. */
const leastMatch = 1.5;

function bestFor(tools: readonly LanguageModelV4FunctionTool[], message: string, today: Date): ScoredTool | undefined {
  return bestTool(tools, message, { today, least: leastMatch });
}

/** Whether the message contains any of the tool's required input. */
function isAnswerable(scored: ScoredTool | undefined): boolean {
  if (scored?.filled === undefined) return false;
  return requiredOf(scored.tool).length === 0 || scored.filled.evidence > 0;
}

/** `What is the time in Oslo and convert 3 miles to km` is two requests, `cats and dogs` is not. */
function clausesOf(message: string): readonly string[] {
  if (message.length > 2000) return [message];
  return message
    .split(/(?<=[.!?])\s+(?=\p{Lu})|\s*;\s+|,?\s+(?:and then|and also|and|then|also)\s+(?=(\p{L}+))/u)
    .reduce<string[]>((clauses, part, index, parts) => {
      // Every second part is the captured word after the separator, or undefined.
      if (index % 2 === 1 || part === undefined) return clauses;
      const next = parts[index - 1];
      if (clauses.length === 0 || next === undefined || beginsRequest(next)) return [...clauses, part];
      return [...clauses.slice(0, -1), `${clauses.at(-1) ?? ''} and ${part}`];
    }, [])
    .filter((clause) => clause.trim() !== '')
    .slice(0, 10);
}

/** One call, or one for each value of an enumeration: `weather in Paris and Rome`. */
function callsOf(scored: ScoredTool | undefined, message: string, today: Date): readonly Call[] {
  if (scored === undefined) return [];
  const { tool, filled } = scored;
  const input = filled?.value;
  const toolName = tool.name;
  if (!isObject(input)) return [{ toolName, input }];
  const { spans } = readMessage(message, today);
  for (const [key, value] of Object.entries(input)) {
    const group = spans.find((span) => span.text === value && span.group !== undefined)?.group;
    const named = spans.filter((span) => span.group === group && span.group !== undefined).map(({ text }) => text);
    const others = named.filter((text) => !Object.values(input).includes(text));
    const inputs = [input, ...others.map((text) => ({ ...input, [key]: text }))];
    if (others.length > 0 && inputs.every((each) => fitsSchema(each, tool.inputSchema, tool.inputSchema))) {
      return inputs.map((each) => ({ toolName, input: each }));
    }
  }
  return [{ toolName, input }];
}

/** `And in Rome?` repeats the previous call with the new value. */
function followUp(
  tools: readonly LanguageModelV4FunctionTool[],
  message: string,
  today: Date,
  lastCall: PastCall | undefined,
): Picked | undefined {
  const tool = tools.find(({ name }) => name === lastCall?.toolName);
  const isShort = /^\s*(?:and|or|what about|how about|now|same)\b.{1,60}$/iu.test(message);
  if (tool === undefined || !isShort || !isObject(lastCall?.input)) return undefined;
  const filled = fillSchema(tool.inputSchema, message, { today, known: lastCall.input });
  return filled === undefined || filled.evidence === 0
    ? undefined
    : { kind: 'call', calls: [{ toolName: tool.name, input: filled.value }] };
}

function distinct(calls: readonly Call[]): readonly Call[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()].slice(0, mostCalls);
}

function requiredOf({ inputSchema }: LanguageModelV4FunctionTool): readonly string[] {
  return stringsOf(inputSchema.required);
}
