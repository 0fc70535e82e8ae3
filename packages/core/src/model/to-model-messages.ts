import { InvalidInputError } from '@halyard/contracts';
import type { InputUIMessage, ModelMessage } from './message.ts';

/**
 * Converts UI messages (as `useChat` has them) to model messages, by the AI SDK's own conversion. One by one: of several, it leaves out approval requests
 * before a message of the user, although the reasoning that led to them stays.
 *
 * @throws InvalidInputError for a message that it cannot convert.
 */
export async function toModelMessages(messages: readonly InputUIMessage[]): Promise<readonly ModelMessage[]> {
  const { convertToModelMessages } = await import('ai');
  try {
    const converted = await Promise.all(messages.map((message) => convertToModelMessages([message])));
    return converted.flat();
  } catch (error) {
    throw new InvalidInputError('body/input holds a UI message that cannot be read', { cause: error });
  }
}
