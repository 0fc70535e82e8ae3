import { createScriptedModel } from '@halyard/core/testing';

/** A tool that the demo model calls when a message matches. */
interface Rule {
  readonly message: RegExp;
  readonly toolName: string;
  readonly input: (match: RegExpExecArray) => object;
}

const rules: readonly Rule[] = [
  // @if chat
  { message: /\btime\b/i, toolName: 'getTime', input: () => ({ timeZone: 'Asia/Tokyo' }) },
  { message: /\bnote: *(.+)/i, toolName: 'addNote', input: ([, text]) => ({ text }) },
  { message: /\bdelete\b.*\bnotes\b/i, toolName: 'deleteNotes', input: () => ({}) },
  { message: /\bnotes\b/i, toolName: 'listNotes', input: () => ({}) },
  // @end
  // @if support-desk
  { message: /\brefund\b.*\b(K-\d+)/i, toolName: 'requestRefund', input: ([, orderId]) => ({ orderId }) },
  { message: /\b(K-\d+)/i, toolName: 'findOrder', input: ([, orderId]) => ({ orderId }) },
  { message: /\b(?:return|size|wash|deliver)/i, toolName: 'searchHelp', input: ([words]) => ({ words }) },
  // @end
  // @if api-only
  { message: /\b(\d+)\b/, toolName: 'orderStatus', input: ([, orderId]) => ({ orderId }) },
  // @end
];

/**
 * Stands in for a model until the app has a key. It is no AI: it calls a tool if a rule matches the
 * message, repeats the tool's result, and otherwise introduces itself. It keeps its calls in
 * memory, so it is for trying only. Delete this file when the app has a model.
 */
export const demoModel = createScriptedModel(
  [
    ({ prompt, tools = [] }) => {
      const last = prompt.at(-1);
      if (last?.role === 'tool') return `The tool returned: ${JSON.stringify(last.content.map(toResult))}`;

      const text = toText(last?.content);
      for (const { message, toolName, input } of rules) {
        const match = message.exec(text);
        const isOffered = tools.some(({ name }) => name === toolName);
        if (match !== null && isOffered) return { toolCalls: [{ toolName, input: input(match) }] };
      }
      return `I am the demo model, not an AI. {{demoHint}} You wrote: ${text}`;
    },
  ],
  { modelId: 'demo', pieceDelayMs: 30 },
);

function toText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join(' ');
}

function toResult(part: object): unknown {
  if (!('output' in part) || typeof part.output !== 'object' || part.output === null) return undefined;
  return 'value' in part.output ? part.output.value : part.output;
}
