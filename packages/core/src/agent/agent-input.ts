import { InvalidInputError } from '@halyard/contracts';
import { isBlank, isContentOfInput } from '../model/messages/content.ts';
import type { AgentInput, InputUIMessage, ModelMessage, SystemMessage } from '../model/messages/message.ts';
import { toModelMessages, type ToolOutputs } from '../model/prompt/to-model-messages.ts';

/** The input in one form, with the system messages separated from the others. */
export interface AcceptedInput {
  readonly system: readonly SystemMessage[];
  readonly messages: readonly ModelMessage[];
}

/**
 * Messages in one of the two forms. Their shapes are checked as far as the code that reads them
 * relies on it.
 */
export type CheckedInput =
  | { readonly form: 'ui'; readonly messages: readonly InputUIMessage[] }
  | { readonly form: 'model'; readonly messages: readonly ModelMessage[] };

/**
 * @throws InvalidInputError for an empty list, a mixed one, or system messages that the agent does
 * not accept.
 */
export async function acceptInput(
  input: AgentInput,
  {
    acceptSystemMessages,
    toolOutputs,
  }: { readonly acceptSystemMessages: boolean; readonly toolOutputs?: ToolOutputs | undefined },
): Promise<AcceptedInput> {
  const { form, messages } = checkInput(input);
  return withoutSystem(form === 'ui' ? await toModelMessages(messages, toolOutputs) : messages, acceptSystemMessages);
}

/**
 * Messages of the user that have nothing for a model are left out: a client still has those that
 * were refused.
 *
 * @throws InvalidInputError for an empty list, a mixed one, or one whose last message has nothing
 * for a model.
 */
export function checkInput(input: AgentInput): CheckedInput {
  if (typeof input === 'string') return checkInput([{ role: 'user', content: input }]);
  if (input.length === 0) throw new InvalidInputError('body/input must not be an empty array');

  input.forEach(checkShape);
  const last = input.findLast(({ role }) => role !== 'system');
  if (last !== undefined && !hasContent(last))
    throw new InvalidInputError('body/input must end with a message that has text or a file: this one has neither');
  return isUiMessages(input)
    ? { form: 'ui', messages: input.filter(hasContent) }
    : { form: 'model', messages: input.filter(hasContent) };
}

/** A message of another role may be left over from a stopped run. */
function hasContent(message: InputUIMessage | ModelMessage): boolean {
  if (message.role !== 'user') return true;
  const parts = 'parts' in message ? message.parts : message.content;
  return typeof parts === 'string' ? !isBlank(parts) : parts.some(isContentOfInput);
}

/**
 * Separates the system messages. @throws InvalidInputError where the agent does not accept them, or
 * there are no others.
 */
export function withoutSystem(all: readonly ModelMessage[], acceptSystemMessages: boolean): AcceptedInput {
  const system = all.filter((message) => message.role === 'system');
  if (system.length > 0 && !acceptSystemMessages) {
    throw new InvalidInputError(
      'body/input must not contain messages of role system: this agent does not accept them',
      {
        code: 'SYSTEM_MESSAGES_NOT_ACCEPTED',
      },
    );
  }
  const messages = system.length === 0 ? all : all.filter(({ role }) => role !== 'system');
  if (messages.length === 0)
    throw new InvalidInputError('body/input must contain a message that is not of role system');
  return { system, messages };
}

/** Further checks happen where the messages are read. */
function checkShape(message: unknown, index: number): void {
  const at = `body/input/${index}`;
  if (typeof message !== 'object' || message === null) throw new InvalidInputError(`${at} must be a message`);
  const { content, parts, role }: { content?: unknown; parts?: unknown; role?: unknown } = message;
  if (!roles.has(role)) throw new InvalidInputError(`${at}/role must be one of ${[...roles].join(', ')}`);
  const list = parts === undefined ? content : parts;
  if (typeof list === 'string' && parts === undefined && role !== 'tool') return;
  const isList =
    Array.isArray(list) && list.every((part) => typeof part === 'object' && part !== null && 'type' in part);
  if (!isList || (role === 'system' && parts === undefined))
    throw new InvalidInputError(`${at} must hold ${parts === undefined ? 'content' : 'parts'} of its role`);
}

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function isUiMessages(input: readonly InputUIMessage[] | readonly ModelMessage[]): input is readonly InputUIMessage[] {
  const ui = input.filter((message) => 'parts' in message).length;
  if (ui !== 0 && ui !== input.length) {
    throw new InvalidInputError(
      'body/input must hold either UI messages (with parts) or model messages (with content), not both',
    );
  }
  return ui > 0;
}

/** The text of the newest user message, which older messages are recalled for. */
export function newestUserText(messages: readonly ModelMessage[]): string | undefined {
  const message = messages.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return undefined;
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
