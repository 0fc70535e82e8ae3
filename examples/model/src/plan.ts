import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { askedToolIn, askFor, describeResult, smallTalk } from './answer.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { fillSchema } from './fill-schema.ts';
import { isObject } from './json.ts';
import { type Call, callWith, pickCalls, type Picked } from './pick-tool.ts';
import { isRemembered } from './recall.ts';
import { asksForTitle, titleOf } from './title.ts';

/** The next action of the demo model. */
export type Plan =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly calls: readonly Call[] };

/** Calls tools once per message. After a result, a denial or an error, it answers. */
export function planAnswer(options: LanguageModelV4CallOptions, today: Date): Plan {
  const { prompt, responseFormat, toolChoice, tools = [] } = options;
  const conversation = readConversation(prompt);
  const { called, results } = conversation;
  const functions = tools.filter((tool) => tool.type === 'function');

  if (asksForTitle(conversation.system)) return say(titleOf(conversation.message));
  if (results.length === 0 && called.length === 0) {
    const picked = pickFor(conversation, options, today);
    if (picked?.kind === 'call') return picked;
    if (picked?.kind === 'ask' && responseFormat?.type !== 'json') return say(askFor(picked.toolName, picked.missing));
  }
  if (responseFormat?.type === 'json')
    return { kind: 'say', text: objectText(responseFormat.schema, conversation, today) };
  if (results.length > 0)
    return say(results.map(({ toolName, output }) => describeResult(toolName, output)).join('\n'));
  if (called.length > 0)
    return say(`I asked ${called.map(({ toolName }) => toolName).join(', ')}, but nothing came back.`);
  return say(smallTalk(conversation, toolChoice?.type === 'none' ? [] : functions));
}

function pickFor(conversation: Conversation, options: LanguageModelV4CallOptions, today: Date): Picked | undefined {
  const { earlier, lastAnswer, lastCall, message, system } = conversation;
  const { toolChoice: choice, tools = [] } = options;
  const functions = tools.filter((tool) => tool.type === 'function');
  const isForced = choice?.type === 'required' || choice?.type === 'tool';
  if (!isForced && isRemembered(message, earlier, system)) return undefined;

  const picked = pickCalls(functions, message, { today, choice, lastCall });
  if (picked?.kind === 'call' || choice?.type === 'none') return picked;
  // `Which city?` – `Paris`: the previous question determines the tool.
  const asked = functions.find(({ name }) => name === askedToolIn(lastAnswer));
  const completed = asked === undefined ? undefined : callWith(asked, `${earlier.at(-1) ?? ''} ${message}`, today);
  return completed ?? picked;
}

function say(text: string): Plan {
  return { kind: 'say', text };
}

/** An object for the schema from the words of the message and the tool results. */
function objectText(schema: unknown, { message, results }: Conversation, today: Date): string {
  if (schema === undefined) return JSON.stringify({ text: message, demo: true });
  const found = results.flatMap(({ output }) =>
    output.type === 'json' && isObject(output.value) ? Object.entries(output.value) : [],
  );
  const lines = found.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const filled = fillSchema(schema, [message, ...lines].join('\n'), { today });
  return JSON.stringify(filled?.value ?? {});
}
