import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describeResult, demoNote, smallTalk } from './answer.ts';
import { fillSchema } from './fill-schema.ts';
import { pickTool } from './pick-tool.ts';

/** What the demo model does next. */
export type Plan =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'call'; readonly toolName: string; readonly input: unknown };

type Message = LanguageModelV4CallOptions['prompt'][number];

/** Calls one tool for a message at most: once there is a result, it answers. */
export function planAnswer(
  { prompt, responseFormat, toolChoice, tools = [] }: LanguageModelV4CallOptions,
  today: Date,
): Plan {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const message = textOf(prompt[asked]);
  const results = prompt
    .slice(asked + 1)
    .flatMap((item) => (item.role === 'tool' ? item.content.filter((part) => part.type === 'tool-result') : []));

  if (results.length === 0 && toolChoice?.type !== 'none') {
    const functions = tools.filter((tool) => tool.type === 'function');
    const picked = pickTool(functions, message, { today, choice: toolChoice });
    if (picked?.kind === 'call') return picked;
    if (picked?.kind === 'ask')
      return say(`For that I would use ${picked.toolName}, but I miss something: ${picked.missing.join(', ')}.`);
  }
  if (responseFormat?.type === 'json') return { kind: 'say', text: structured(responseFormat.schema, message, today) };
  if (results.length > 0) return say(results.map(({ output, toolName }) => describeResult(toolName, output)).join(' '));
  return say(
    smallTalk(
      message,
      prompt
        .slice(0, asked)
        .filter(({ role }) => role === 'user')
        .map(textOf),
      tools.map(({ name }) => name),
    ),
  );
}

function say(text: string): Plan {
  return { kind: 'say', text: `${text}\n\n${demoNote}` };
}

function structured(schema: unknown, message: string, today: Date): string {
  if (schema === undefined) return JSON.stringify({ text: message });
  return JSON.stringify(fillSchema(schema, message, { today })?.value ?? {});
}

function textOf(message: Message | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}
