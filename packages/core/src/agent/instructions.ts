import { ConfigurationError } from '@halyard/contracts';
import type { SystemMessage } from '../model/messages/message.ts';

/**
 * A text, or system messages, as in the AI SDK. Messages stay separate, and can have
 * `providerOptions`, such as Anthropic's `cacheControl`.
 */
export type Instructions = string | SystemMessage | readonly SystemMessage[];

/** @throws ConfigurationError */
export function acceptInstructions(agentId: string, instructions: unknown): Instructions {
  if (typeof instructions === 'string') return instructions;
  const messages: readonly unknown[] = Array.isArray(instructions) ? instructions : [instructions];
  if (messages.every(isSystemMessage)) return messages;
  throw new ConfigurationError(
    `The instructions of agent "${agentId}" must be a text, or messages { role: 'system', content: '…' }`,
  );
}

function isSystemMessage(value: unknown): value is SystemMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { content, role }: { content?: unknown; role?: unknown } = value;
  return role === 'system' && typeof content === 'string';
}

/**
 * The system messages of a prompt. The instructions come first, so that a provider can cache them:
 * what memory and the request add may change with each turn. Texts are joined into one message, and
 * messages of the instructions or with options of a provider stay as they are.
 */
export function systemPrompt(instructions: Instructions, added: readonly SystemMessage[]): SystemMessage[] {
  const isText = typeof instructions === 'string';
  const own: readonly SystemMessage[] = isText ? [{ role: 'system', content: instructions }] : [instructions].flat();
  const prompt = own.filter(({ content }) => content !== '');
  let canJoin = isText && prompt.length > 0;
  for (const message of added) {
    if (message.content === '') continue;
    const last = canJoin && message.providerOptions === undefined ? prompt.pop() : undefined;
    prompt.push(last === undefined ? message : { role: 'system', content: `${last.content}\n\n${message.content}` });
    canJoin = message.providerOptions === undefined;
  }
  return prompt;
}
