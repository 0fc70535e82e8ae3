import type { Message } from '@halyard/contracts';
import type { Memory } from '../../memory/memory.ts';
import { runOwner } from '../../memory/run-owner.ts';
import { type ConversationKey, type OpenConversation, openConversation } from '../../memory/turn/open-conversation.ts';
import { type SyncedInput, syncInput } from '../../memory/turn/sync-input.ts';
import { turnSettings, type TurnSettings } from '../../memory/turn/turn-options.ts';
import { Turn } from '../../memory/turn/turn.ts';
import type { FetchFile } from '../../model/file-part.ts';
import { historyPrompt, readableMessages } from '../../model/history-prompt.ts';
import type { Prompt, ResolvedModel } from '../../model/model-port.ts';
import { toModelMessages, type ToolOutputs } from '../../model/to-model-messages.ts';
import { recordMemory } from '../../telemetry/record-memory.ts';
import type { Tool } from '../../tool/tool.ts';
import { type AcceptedInput, checkInput, withoutSystem } from '../agent-input.ts';
import type { InputCheck } from '../processors/input-check.ts';
import type { RunRequest } from './prepare.ts';

/** The messages of a request that are answered now. */
interface SentMessages extends AcceptedInput {
  /** Also gives the files of stored messages. */
  readonly fetchFile: FetchFile;
}

/** What a run knows from its conversation. */
interface Remembered {
  readonly history: Prompt;
  /** The notes of the working memory; empty without one. */
  readonly instructions: string;
  /** Tools that write the notes. */
  readonly tools: readonly Tool[];
}

interface Opened {
  readonly memory: Memory;
  readonly settings: TurnSettings;
  readonly conversation: OpenConversation;
  readonly fetchFile: FetchFile;
}

/** The conversation of a run. Reading it changes nothing; {@link startTurn} returns what writes to it. */
export class RunConversation {
  readonly sent: SentMessages;
  readonly #request: RunRequest;
  readonly #opened: Opened;
  readonly #synced: SyncedInput;

  private constructor(request: RunRequest, opened: Opened, synced: SyncedInput, sent: SentMessages) {
    this.#request = request;
    this.#opened = opened;
    this.#synced = synced;
    this.sent = sent;
  }

  /**
   * Opens the conversation, and finds out which of the messages it has already. Undefined for a run without memory, which needs a conversation and a user, and for a run
   * without a user that names the conversation of one.
   *
   * @throws GuardrailBlockedError, ProcessorFailedError, NotFoundError for a conversation of another user, InvalidInputError, UnavailableError when it cannot be read.
   */
  static async open(
    request: RunRequest,
    fetchFile: FetchFile,
    check: InputCheck,
  ): Promise<RunConversation | undefined> {
    const { agent, id, input, options, recording, services } = request;
    const memory = agent.memoryIn(services);
    const key = memory && conversationKey(request);
    if (memory === undefined || key === undefined) return undefined;
    const settings = turnSettings(memory.settings, options.memory?.options, options.contextLimit);
    const checked = checkInput(input);
    const { contextLimit } = settings;
    const conversation = await recordMemory(recording, 'read', key.conversationId, () =>
      openConversation(memory.storage.conversations, key, { contextLimit, runId: id, journal: options.journal }),
    );
    if (conversation === undefined) return undefined;
    const isClientSide = (name: string): boolean | undefined => agent.findTool(name)?.clientSide;
    const synced = await syncInput(checked, conversation, { isClientSide, resend: options.resend, check });
    const sent = await readSent(synced, agent, fetchFile);
    return new RunConversation(request, { memory, settings, conversation, fetchFile }, synced, sent);
  }

  /** The stored answer to input that was sent twice. */
  get answered(): Message | undefined {
    return this.#synced.answered;
  }

  /** @param question the newest text of the user, which older messages are recalled for. */
  async remember(question: string): Promise<Remembered> {
    const { agent, recording } = this.#request;
    const { conversation, fetchFile, memory, settings } = this.#opened;
    const { key } = conversation;
    const { workingMemory } = memory;
    const notes = workingMemory.isEnabled
      ? await recordMemory(recording, 'working-memory', key.conversationId, () =>
          workingMemory.forRun(key.owner, { ...key, readOnly: settings.readOnly }),
        )
      : undefined;
    const isRecalling = question !== '' && settings.recall.enabled && memory.canSearch;
    const window = isRecalling
      ? await recordMemory(recording, 'recall', key.conversationId, () => this.#recall(question))
      : this.#synced.window;
    return {
      history: await historyPrompt(window, fetchFile, agent.toolOutputs),
      instructions: notes?.instructions ?? '',
      tools: notes?.tools ?? [],
    };
  }

  /** Returns what writes the question and the answer. */
  startTurn(models: readonly ResolvedModel[]): Turn {
    const { agent, id, logger, options, recording } = this.#request;
    const { conversation, memory, settings } = this.#opened;
    return new Turn(memory, conversation, this.#synced, {
      agentId: agent.id,
      models,
      logger,
      recording,
      messageId: options.messageId ?? id,
      settings,
    });
  }

  /** The window with older messages that may matter for the question. */
  async #recall(question: string): Promise<readonly Message[]> {
    const { continued, replaced, window } = this.#synced;
    const { conversation, memory, settings } = this.#opened;
    const { hasOlder, key, newest } = conversation;
    const inWindow = new Set(window.map(({ id }) => id));
    // The run writes some of these messages itself.
    const others = [...newest, replaced, continued].filter((message) => message !== undefined);
    return memory.recall(key.owner, {
      text: question,
      conversationId: key.conversationId,
      userId: key.userId,
      window,
      hasOlder,
      exclude: others.map(({ id }) => id).filter((id) => !inWindow.has(id)),
      settings: settings.recall,
      logger: this.#request.logger,
    });
  }
}

/** The conversation of a run with a memory. A sub-agent has no access to it. */
export function conversationKey({
  context: { conversationId, userId },
  options: { parent, user },
  services: { anonymousUserId },
}: Pick<RunRequest, 'context' | 'options' | 'services'>): ConversationKey | undefined {
  if (conversationId === undefined || parent !== undefined) return undefined;
  const owner = runOwner(user);
  if (owner !== 'anyone') return { owner, conversationId, userId: owner.user, isAnonymous: false };
  const ownerId = userId ?? anonymousUserId;
  if (ownerId === undefined) return undefined;
  return { owner, conversationId, userId: ownerId, isAnonymous: userId === undefined };
}

async function readSent(
  { sent }: SyncedInput,
  { acceptSystemMessages, toolOutputs }: { readonly acceptSystemMessages: boolean; readonly toolOutputs: ToolOutputs },
  fetchFile: FetchFile,
): Promise<SentMessages> {
  const stored = sent.stored && (await readableMessages([sent.stored], fetchFile, toolOutputs));
  const own = sent.form === 'model' ? sent.messages : await toModelMessages(sent.messages, toolOutputs);
  const accepted = withoutSystem([...(stored?.messages ?? []), ...own], acceptSystemMessages);
  return { ...accepted, fetchFile: stored?.files ?? fetchFile };
}
