import { InvalidInputError } from '@halyard/contracts';
import type { InputUIMessage, ModelMessage } from './message.ts';

/**
 * Converts UI messages (as `useChat` has them) to model messages, by the AI SDK's own conversion.
 *
 * @throws InvalidInputError for a message that it cannot convert.
 */
export async function toModelMessages(messages: readonly InputUIMessage[]): Promise<readonly ModelMessage[]> {
  const { convertToModelMessages } = await import('ai');
  try {
    return await convertToModelMessages([...messages]);
  } catch (error) {
    throw new InvalidInputError('body/input holds a UI message that cannot be read', { cause: error });
  }
}
