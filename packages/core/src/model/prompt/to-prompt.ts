import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promptInput } from '../call-input.ts';
import { type FetchFile, filePart } from '../files/file-part.ts';
import type { ModelMessage } from '../messages/message.ts';
import type {
  AssistantPart,
  Prompt,
  PromptMessage,
  PromptToolResult,
  ToolPrompt,
  UserPart,
} from '../providers/model-port.ts';
import { withoutDelegatedCalls } from './delegated-calls.ts';
import { missingResultText } from './missing-result.ts';
import { promptToolResult } from './tool-output.ts';

/**
 * How many messages are converted in one turn of the event loop, so that thousands of them do not
 * delay other requests.
 */
const perTurn = 1_000;

/**
 * Converts model messages to the provider interface: contents as parts, files as data. A tool call
 * without a result gets a note as its result: providers refuse a conversation with such a call, as
 * an aborted run leaves it, and also a conversation that has the reasoning of a call but not the
 * call.
 *
 * @param pending ids of tool calls whose results this run adds.
 * @throws InvalidInputError for a file that is not accepted.
 */
export async function toPrompt(
  given: readonly ModelMessage[],
  pending: ReadonlySet<string>,
  fetchFile: FetchFile,
): Promise<Prompt> {
  const messages = withoutDelegatedCalls(given);
  const withResult = callsWithResults(messages, pending);
  const ofProvider = providerCalls(messages);
  const prompt: PromptMessage[] = [];
  const withoutResult: PromptToolResult[] = [];
  for (const [index, message] of messages.entries()) {
    if (index % perTurn === perTurn - 1) await yieldToEventLoop();
    const next = await toPromptMessage(message, ofProvider, fetchFile);
    if (next === undefined) continue;
    if (next.role !== 'tool') addResults(prompt, { role: 'tool', content: withoutResult.splice(0) });
    if (next.role === 'tool') addResults(prompt, next);
    else prompt.push(next);
    withoutResult.push(...missingResults(message, withResult));
  }
  addResults(prompt, { role: 'tool', content: withoutResult });
  return prompt;
}

/** All results of a step are in one message. */
function addResults(prompt: Prompt, results: ToolPrompt): void {
  if (results.content.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(...results.content);
  else prompt.push(results);
}

function missingResults({ content, role }: ModelMessage, withResult: ReadonlySet<object>): PromptToolResult[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true || withResult.has(part)) return [];
    const { toolCallId, toolName } = part;
    return [{ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: missingResultText } }];
  });
}

/**
 * Some models use the same call ids in each reply: a result belongs to the last call of its id
 * before it.
 */
function callsWithResults(messages: readonly ModelMessage[], pending: ReadonlySet<string>): ReadonlySet<object> {
  const withResult = new Set<object>();
  const results = new Set(pending);
  for (const { content } of messages.toReversed()) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.add(part.toolCallId);
    const calls = content.filter((part) => part.type === 'tool-call');
    for (const call of calls) if (results.has(call.toolCallId)) withResult.add(call);
    for (const { toolCallId } of calls) results.delete(toolCallId);
  }
  return withResult;
}

/** Ids of the calls that providers run. */
function providerCalls(messages: readonly ModelMessage[]): ReadonlySet<string> {
  const ids = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) =>
          part.type === 'tool-call' && part.providerExecuted === true ? [part.toolCallId] : [],
        ),
  );
  return new Set(ids);
}

async function toPromptMessage(
  message: ModelMessage,
  ofProvider: ReadonlySet<string>,
  fetchFile: FetchFile,
): Promise<PromptMessage | undefined> {
  const options = message.providerOptions && { providerOptions: message.providerOptions };
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content, ...options };
    case 'user': {
      const content =
        typeof message.content === 'string'
          ? textParts(message.content)
          : await Promise.all(message.content.map((part) => userPart(part, fetchFile)));
      return { role: 'user', content: content.filter((part) => part.type !== 'text' || part.text !== ''), ...options };
    }
    case 'assistant': {
      const content: AssistantPart[] =
        typeof message.content === 'string'
          ? textParts(message.content)
          : await assistantParts(message.content, fetchFile);
      return content.length === 0 ? undefined : { role: 'assistant', content, ...options };
    }
    case 'tool': {
      const content: ToolPrompt['content'] = [];
      for (const part of message.content) {
        if (part.type !== 'tool-result') content.push(...providerApproval(part));
        // The provider learns of the denial by the reply to its request. It has no call with this
        // id.
        else if (part.output.type !== 'execution-denied' || !ofProvider.has(part.toolCallId))
          content.push(await promptToolResult(part, fetchFile));
      }
      return content.length === 0 ? undefined : { role: 'tool', content, ...options };
    }
  }
}

type Parts<Role extends ModelMessage['role']> = Exclude<
  Extract<ModelMessage, { role: Role }>['content'],
  string
>[number];

async function userPart(part: Parts<'user'>, fetchFile: FetchFile): Promise<UserPart> {
  if (part.type === 'text') return part;
  const source = part.type === 'image' ? part.image : part.data;
  const filename = part.type === 'file' ? part.filename : undefined;
  return filePart(source, part.mediaType ?? 'image', filename, part.providerOptions, fetchFile);
}

async function assistantParts(parts: readonly Parts<'assistant'>[], fetchFile: FetchFile): Promise<AssistantPart[]> {
  const content: AssistantPart[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'tool-approval-request':
        break;
      case 'text':
        if (part.text !== '' || part.providerOptions !== undefined) content.push(part);
        break;
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerOptions } = part;
        content.push({
          type: 'tool-call',
          toolCallId,
          toolName,
          input: providerExecuted === true ? input : promptInput(input),
          ...(providerExecuted && { providerExecuted }),
          ...(providerOptions && { providerOptions }),
        });
        break;
      }
      case 'tool-result':
        content.push(await promptToolResult(part, fetchFile));
        break;
      case 'file':
        content.push(await filePart(part.data, part.mediaType, part.filename, part.providerOptions, fetchFile));
        break;
      case 'reasoning-file': {
        const file = await filePart(part.data, part.mediaType, undefined, part.providerOptions, fetchFile);
        if (file.data.type === 'data' || file.data.type === 'url')
          content.push({ ...file, type: 'reasoning-file', data: file.data });
        break;
      }
      default:
        content.push(part satisfies AssistantPart);
    }
  }
  return content;
}

function textParts(text: string): { type: 'text'; text: string }[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/**
 * Responses to approval requests of the provider are sent to it. Responses to requests of this
 * server are not part of the prompt.
 */
function providerApproval(part: Extract<Parts<'tool'>, { type: 'tool-approval-response' }>): ToolPrompt['content'] {
  if (part.providerExecuted !== true) return [];
  const { approvalId, approved, reason } = part;
  return [{ type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }];
}
