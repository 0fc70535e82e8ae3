import type { Logger, Message } from '@halyard/contracts';
import type { Memory } from '../../memory/memory.ts';
import { type ConversationKey, type OpenConversation, openConversation } from '../../memory/turn/open-conversation.ts';
import { newInput, type SyncedInput, syncInput } from '../../memory/turn/sync-input.ts';
import { turnSettings, type TurnSettings } from '../../memory/turn/turn-options.ts';
import { Turn } from '../../memory/turn/turn.ts';
import { historyPrompt, readableMessages } from '../../model/history-prompt.ts';
import type { AgentInput, ModelMessage } from '../../model/message.ts';
import { toModelMessages } from '../../model/to-model-messages.ts';
import { type FetchFile, textPrompt, toPrompt } from '../../model/to-prompt.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import { recordMemory, type RunRecording } from '../../telemetry/record-memory.ts';
import { checkInput, type CheckedInput, newestUserText, withNewestUserText, withoutSystem } from '../agent-input.ts';
import type { RunContext, RunOptions } from '../agent-options.ts';
import type { Agent } from '../agent.ts';
import { acceptAnswers } from '../approvals/approval-answers.ts';
import {
  type AcceptedRequest,
  answeredBy,
  chooseModels,
  fetchFileFor,
  guardedText,
  systemText,
} from './accept-request.ts';

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
  readonly logger: Logger;
  readonly recording: RunRecording | undefined;
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
): Promise<AcceptedRequest> {
  const { context, logger, options, recording, runId, runMemory, services, signal } = given;
  const { key, memory } = runMemory;
  const settings = turnSettings(memory.settings, options.memory?.options, options.contextLimit);
  const checked = typeof input === 'string' ? input : checkInput(input);
  const conversation = await recordMemory(recording, 'read', key.conversationId, () =>
    openConversation(memory.storage.conversations, key, {
      contextLimit: settings.contextLimit,
      runId,
      journal: options.journal,
    }),
  );
  const fetchFile = fetchFileFor(services, signal);
  const said =
    typeof checked === 'string'
      ? textSaid(checked, conversation, fetchFile)
      : await messagesSaid(checked, conversation, agent, fetchFile);

  // A text answers nothing.
  const accepted = typeof checked === 'string' ? undefined : acceptAnswers(said.messages, agent, services, context);
  const messages = accepted?.messages ?? said.messages;
  // Awaited is only what has to be: most runs have none of these.
  const text = agent.inputGuardrails.length === 0 ? undefined : await guardedText(agent, messages, context);
  const asked = text === undefined ? messages : withNewestUserText(messages, text);
  const synced = text === undefined ? said.synced : withUserText(said.synced, text);
  const { isEnabled: hasNotes } = memory.workingMemory;
  const notes = hasNotes
    ? await recordMemory(recording, 'working-memory', key.conversationId, () =>
        memory.workingMemory.forRun(key.owner, { ...key, readOnly: settings.readOnly }),
      )
    : undefined;
  const isRecalling = settings.recall.enabled && memory.canSearch;
  const window = isRecalling
    ? await recordMemory(recording, 'recall', key.conversationId, () =>
        recalled(runMemory, { asked, conversation, settings, synced }, logger),
      )
    : synced.window;

  const others = notes === undefined ? said.system : [notes.instructions, ...said.system];
  const system =
    typeof agent.instructions === 'string' && others.length === 0
      ? agent.instructions
      : await systemText(agent, others, context);
  const history = historyPrompt(window, fetchFile);
  const prompt = 'then' in history ? await history : history;
  const [only] = asked;
  if (typeof checked === 'string' && only?.role === 'user' && typeof only.content === 'string')
    prompt.push(...textPrompt(only.content));
  else prompt.push(...(await toPrompt(asked, answeredBy(accepted?.answers ?? noAnswers), said.files)));
  if (system !== '') prompt.unshift({ role: 'system', content: system });
  const chosen = chooseModels(agent, context);
  const models = 'then' in chosen ? await chosen : chosen;
  const turn = new Turn(memory, conversation, synced, {
    agentId: agent.id,
    models,
    logger,
    recording,
    messageId: options.messageId ?? runId,
    settings,
  });
  return {
    answers: accepted?.answers ?? noAnswers,
    requests: accepted?.requests ?? noRequests,
    stillWaiting: accepted?.stillWaiting ?? false,
    prompt,
    models,
    turn,
    ...(notes !== undefined && { tools: notes.tools }),
  };
}

const noAnswers: AcceptedRequest['answers'] = [];
const noRequests: AcceptedRequest['requests'] = [];

/** What was sent, as the conversation keeps it and as models take it. */
interface Said {
  readonly synced: SyncedInput;
  readonly messages: readonly ModelMessage[];
  readonly system: readonly string[];
  readonly files: FetchFile;
}

const nothing: readonly string[] = [];

function textSaid(text: string, conversation: OpenConversation, files: FetchFile): Said {
  const fresh: Message = { id: conversation.idOf(0), role: 'user', parts: [{ type: 'text', text }] };
  const synced = newInput(conversation, [fresh], { stored: undefined, form: 'model', messages: [] });
  return { synced, messages: [{ role: 'user', content: text }], system: nothing, files };
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

/** The window, with what is recalled. */
async function recalled(
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
  logger: Logger,
): Promise<readonly Message[]> {
  const { continued, replaced, window } = synced;
  const text = newestUserText(asked) ?? '';
  if (text === '') return window;
  const { conversationId, owner, userId } = key;
  const seen = new Set(window.map(({ id }) => id));
  const others = [...conversation.newest, replaced, continued].filter((message) => message !== undefined);
  return memory.recall(owner, {
    text,
    conversationId,
    userId,
    window,
    hasOlder: window.length >= settings.contextLimit,
    // What is answered anew, and what goes on.
    exclude: others.map(({ id }) => id).filter((id) => !seen.has(id)),
    settings: settings.recall,
    logger,
  });
}

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
