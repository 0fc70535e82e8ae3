import { InvalidInputError, type Message } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import { type ConversationKey, type OpenConversation, openConversation } from '../memory/turn/open-conversation.ts';
import { newInput, type SyncedInput, syncInput } from '../memory/turn/sync-input.ts';
import { turnSettings, type TurnSettings } from '../memory/turn/turn-options.ts';
import { Turn } from '../memory/turn/turn.ts';
import type { WorkingMemoryForRun } from '../memory/working-memory.ts';
import { historyPrompt, readableMessages } from '../model/history-prompt.ts';
import type { AgentInput, ModelMessage } from '../model/message.ts';
import type { Prompt } from '../model/model-port.ts';
import { toModelMessages } from '../model/to-model-messages.ts';
import { type FetchFile, textPrompt, toPrompt } from '../model/to-prompt.ts';
import type { Tool } from '../tool/tool.ts';
import {
  type AcceptedRequest,
  answeredBy,
  chooseModels,
  fetchFileFor,
  guardedText,
  systemText,
} from './accept-request.ts';
import { checkInput, type CheckedInput, newestUserText, withNewestUserText, withoutSystem } from './agent-input.ts';
import type { RunContext, RunOptions } from './agent-options.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import { acceptAnswers } from './approval-answers.ts';

/** A request of a conversation. */
export interface RememberedRequest extends AcceptedRequest {
  readonly turn: Turn;
  /** Of the memory, beside those of the agent. */
  readonly tools: readonly Tool[];
}

/** Where a run's conversation is kept. */
export interface RunMemory {
  readonly memory: Memory;
  readonly key: ConversationKey;
}

export interface RememberedOptions {
  readonly context: RunContext;
  readonly options: RunOptions;
  readonly runMemory: RunMemory;
  readonly runId: string;
  readonly services: AgentServices;
  readonly signal: AbortSignal;
}

/**
 * Accepts what is asked in a conversation: reads what the run sees of it, finds out what is new, and makes the prompt. Nothing is written.
 *
 * @throws NotFoundError for somebody else's conversation, InvalidInputError, GuardrailBlockedError, UnavailableError when it cannot be read.
 */
export async function acceptRemembered(
  agent: Agent,
  input: AgentInput,
  given: RememberedOptions,
): Promise<RememberedRequest> {
  const { context, options, runId, runMemory, services, signal } = given;
  const { key, memory } = runMemory;
  const settings = turnSettings(memory.settings, options.memory?.options, options.contextLimit);
  const checked = typeof input === 'string' ? input : checkInput(input);
  const conversation = await openConversation(memory.storage.conversations, key, {
    contextLimit: settings.contextLimit,
    runId,
    isRepeatable: options.journal !== undefined,
  });
  const fetchFile = fetchFileFor(services, signal);
  const said =
    typeof checked === 'string'
      ? textSaid(checked, conversation)
      : await messagesSaid(checked, conversation, agent, fetchFile);

  const { messages, ...answers } = acceptAnswers(said.messages, agent, services, context);
  const text = await guardedText(agent, messages, context);
  const asked = text === undefined ? messages : withNewestUserText(messages, text);
  const synced = text === undefined ? said.synced : withUserText(said.synced, text);
  const [window, notes] = await remembered(runMemory, { asked, conversation, settings, synced }, services);

  const others = notes === undefined ? said.system : [notes.instructions, ...said.system];
  const system = await systemText(agent, others, context);
  const prompt = await historyPrompt(window, fetchFile);
  prompt.push(...(await askedPrompt(checked, asked, answeredBy(answers), said.files)));
  if (system !== '') prompt.unshift({ role: 'system', content: system });
  const models = await chooseModels(agent, context);
  const turn = new Turn(memory, conversation, synced, {
    agentId: agent.id,
    models,
    logger: services.logger,
    messageId: options.messageId ?? runId,
    settings,
  });
  return { ...answers, prompt, models, turn, tools: notes?.tools ?? [] };
}

/** What was sent, as the conversation keeps it and as models take it. */
interface Said {
  readonly synced: SyncedInput;
  readonly messages: readonly ModelMessage[];
  readonly system: readonly string[];
  readonly files: FetchFile | undefined;
}

function textSaid(text: string, conversation: OpenConversation): Said {
  const fresh: Message = { id: conversation.idOf(0), role: 'user', parts: [{ type: 'text', text }] };
  const synced = newInput(conversation, [fresh], { stored: undefined, form: 'model', messages: [] });
  return { synced, messages: [{ role: 'user', content: text }], system: [], files: undefined };
}

async function messagesSaid(
  input: CheckedInput,
  conversation: OpenConversation,
  agent: Agent,
  fetchFile: FetchFile,
): Promise<Said> {
  const synced = await syncInput(input, conversation, (name) => agent.findTool(name)?.clientSide);
  const { sent } = synced;
  const stored = sent.stored === undefined ? undefined : await readableMessages([sent.stored], fetchFile);
  const own = sent.form === 'model' ? sent.messages : await toModelMessages(sent.messages);
  const { messages, system } = withoutSystem([...(stored?.messages ?? []), ...own], agent.acceptSystemMessages);
  return { synced, messages, system, files: stored?.files ?? fetchFile };
}

/** What the run is reminded of: the window with what is recalled, and the notes. */
async function remembered(
  { key, memory }: RunMemory,
  {
    asked,
    conversation,
    settings,
    synced,
  }: {
    readonly asked: readonly ModelMessage[];
    readonly conversation: OpenConversation;
    readonly settings: TurnSettings;
    readonly synced: SyncedInput;
  },
  { logger }: AgentServices,
): Promise<readonly [readonly Message[], WorkingMemoryForRun | undefined]> {
  const { window } = synced;
  const { contextLimit, readOnly, recall } = settings;
  const text = recall.enabled && memory.canSearch ? newestUserText(asked) : undefined;
  const { isEnabled } = memory.workingMemory;
  if (!isEnabled && (text === undefined || text === '')) return [window, undefined];

  const { conversationId, owner, userId } = key;
  const seen = new Set(window.map(({ id }) => id));
  return Promise.all([
    text === undefined || text === ''
      ? window
      : memory.recall(owner, {
          text,
          conversationId,
          userId,
          window,
          hasOlder: window.length >= contextLimit,
          // What is answered anew, and what is answered now.
          exclude: conversation.newest.flatMap(({ id }) => (seen.has(id) ? [] : [id])),
          settings: recall,
          logger,
        }),
    isEnabled ? memory.workingMemory.forRun(owner, { conversationId, userId, readOnly }) : undefined,
  ]);
}

async function askedPrompt(
  input: CheckedInput | string,
  asked: readonly ModelMessage[],
  answered: ReadonlySet<string>,
  files: FetchFile | undefined,
): Promise<Prompt> {
  const [only] = asked;
  if (typeof input === 'string' && only?.role === 'user' && typeof only.content === 'string')
    return textPrompt(only.content);
  return toPrompt(asked, answered, files ?? noFiles);
}

const noFiles: FetchFile = async (url) => {
  throw new InvalidInputError(`A text names no file: ${url}`, { code: 'FILE_NOT_ACCEPTED' });
};

/** The input with another text in the newest message of the user; its files stay. */
function withUserText(synced: SyncedInput, text: string): SyncedInput {
  const { fresh, replaced } = synced;
  if (replaced !== undefined) return { ...synced, replaced: withText(replaced, text) };
  const index = fresh.findLastIndex(({ role }) => role === 'user');
  const message = fresh[index];
  return message === undefined ? synced : { ...synced, fresh: fresh.with(index, withText(message, text)) };
}

function withText(message: Message, text: string): Message {
  return { ...message, parts: [{ type: 'text', text }, ...message.parts.filter(({ type }) => type !== 'text')] };
}
