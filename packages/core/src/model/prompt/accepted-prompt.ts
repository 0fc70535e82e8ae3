import { withoutRefusedFiles } from '../files/refused-files.ts';
import { isBlank, kindsOfResponse } from '../messages/content.ts';
import type { AssistantPart, Prompt, PromptMessage, ResolvedModel } from '../providers/model-port.ts';
import { bedrock, providerName } from '../providers/provider-name.ts';
import { portableMessage } from './portable-message.ts';
import { withoutForeignParts } from './reply-origin.ts';

/**
 * The prompt as all providers accept it, whoever wrote its messages:
 *
 * - A message whose texts are all blank is sent without them. Anthropic refuses it. Bedrock refuses
 *   each blank text, so it receives none.
 * - A call that the provider began to run in an earlier turn is not sent without its result.
 *   Anthropic refuses it.
 * - A message of which nothing is left, or only reasoning, is not sent. Nor are answers of files to
 *   Bedrock: its package leaves out their content, and roles must alternate.
 * - Parts that only another model reads are not sent, see {@link withoutForeignParts}.
 * - Texts, names and ids are of the form that providers accept, see {@link portableMessage}.
 * - A file that the model has refused in an earlier turn is sent as a note with its name.
 * - If the assistant wrote first, a note of the user comes before it. Bedrock refuses prompts that
 *   begin with the assistant.
 */
export function acceptedPrompt(prompt: Prompt, model: Pick<ResolvedModel, 'modelId' | 'provider'>): Prompt {
  const turn: CurrentTurn = {
    start: prompt.findLastIndex(({ role }) => role === 'user'),
    finished: finishedCalls(prompt),
    model,
    provider: providerName(model.provider),
  };
  const accepted = prompt
    .flatMap((message, index) => acceptedMessage(withoutRefusedFiles(message, model), index, turn))
    .map((message) => portableMessage(message, model.provider));
  const first = accepted.findIndex(({ role }) => role !== 'system');
  if (accepted[first]?.role === 'assistant') accepted.splice(first, 0, assistantFirst);
  return accepted;
}

interface CurrentTurn {
  /** Index of the last message of the user. */
  readonly start: number;
  readonly finished: ReadonlySet<string>;
  readonly model: Pick<ResolvedModel, 'modelId' | 'provider'>;
  readonly provider: string;
}

function acceptedMessage(message: PromptMessage, index: number, turn: CurrentTurn): PromptMessage[] {
  switch (message.role) {
    case 'system':
      return isBlank(message.content) ? [] : [message];
    case 'user':
      return withContent(message, withoutBlank(message.content, turn.provider));
    case 'assistant': {
      const readable = withoutForeignParts(message, turn.model);
      // OpenAI needs the item that follows its reasoning, even if it is empty.
      const isItem = (part: AssistantPart): boolean => part.providerOptions?.[turn.provider] !== undefined;
      const content = withoutBlank(readable.content, turn.provider, isItem).filter(
        (part) => index > turn.start || !isProviderCall(part) || turn.finished.has(part.toolCallId),
      );
      return content.every((part) => isNothingAlone(part, turn.provider)) ? [] : withContent(readable, content);
    }
    case 'tool':
      return withContent(message, message.content);
    default:
      return message satisfies never;
  }
}

const assistantFirst: PromptMessage = {
  role: 'user',
  content: [{ type: 'text', text: '[The assistant begins the conversation.]' }],
};

/** Reasoning needs the output that followed it. */
function isNothingAlone(part: AssistantPart, provider: string): boolean {
  if (part.type === 'file' || part.type === 'reasoning-file') return provider === bedrock;
  return part.type === 'reasoning' || (part.type === 'custom' && kindsOfResponse.has(part.kind));
}

function withContent<Message extends Exclude<PromptMessage, { role: 'system' }>>(
  message: Message,
  content: Message['content'],
): Message[] {
  if (content.length === 0) return [];
  return content.length === message.content.length ? [message] : [{ ...message, content }];
}

type Part = Exclude<PromptMessage, { role: 'system' | 'tool' }>['content'][number];

function withoutBlank<Kept extends Part>(
  content: readonly Kept[],
  provider: string,
  isKept: (part: Kept) => boolean = () => false,
): Kept[] {
  const isRefused = provider === bedrock || content.every((part) => part.type !== 'text' || isBlank(part.text));
  return content.filter((part) => {
    if (part.type !== 'text' || !isBlank(part.text) || isKept(part)) return true;
    return !isRefused && part.text !== '';
  });
}

/** Ids of the calls of providers that have a result, or an approval response. */
function finishedCalls(prompt: Prompt): ReadonlySet<string> {
  const finished = new Set<string>();
  let latest: string[] = [];
  for (const message of prompt) {
    if (message.role === 'assistant')
      latest = message.content.filter(isProviderCall).map(({ toolCallId }) => toolCallId);
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-result') finished.add(part.toolCallId);
      // The reply names the request, which is not in the prompt.
      if (part.type === 'tool-approval-response') for (const id of latest) finished.add(id);
    }
  }
  return finished;
}

function isProviderCall(part: AssistantPart): part is Extract<AssistantPart, { type: 'tool-call' }> {
  return part.type === 'tool-call' && part.providerExecuted === true;
}
