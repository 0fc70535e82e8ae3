import { type Executions, InvalidInputError, type Owner, type StreamKey } from '@halyard/contracts';
import type { InternalRunOptions } from '../agent/agent-options.ts';
import type { Agent } from '../agent/agent.ts';
import { findExecutionResponses } from '../agent/approvals/execution-responses.ts';
import type { AgentInput, UIMessage, UIMessageChunk } from '../model/messages/message.ts';
import type { WorkflowDefinition } from '../workflow/definition/workflow-definition.ts';
import { DurableChats } from './durable/durable-chats.ts';
import type { ResumeServices } from './executions/resume-executions.ts';
import { startChat } from './start-chat.ts';
import { type ChatChunks, ResumableChats, type ResumableChatsOptions } from './stream/resumable-chats.ts';

/**
 * `plain`: ends with its client. `resumable`: continues without its client, which can follow it
 * again. `durable`: resumable, and another process continues it when its own ends.
 */
export type ChatKind = 'plain' | 'resumable' | 'durable';

export interface ChatsOptions extends Omit<ResumableChatsOptions, 'durable'> {
  /** Whether the storage outlives the process. Resumable chats are then durable by default. */
  readonly outliveProcess: boolean;
  /** The agents that can chat. */
  readonly agents: readonly Agent[];
  readonly executions: Executions;
}

export interface ChatRequest {
  readonly agent: Agent;
  readonly input: AgentInput;
  /** Of the run. The signal is that of the client. */
  readonly options: InternalRunOptions & { readonly signal: AbortSignal };
  /** Whether the chat continues without its client. Default: as the agent sets it. */
  readonly resumable?: boolean | undefined;
  /**
   * Whether a resumable chat outlives its process. Default: as the agent sets it, or the storage
   * does.
   */
  readonly durable?: boolean | undefined;
  /** The stored message that the reply extends. Readers that reconnect get it first. */
  readonly extendedMessage?: UIMessage | undefined;
  /** The caller whose limits count a chat that continues without its client. */
  readonly callerKey: string;
}

/**
 * The chats of a server: starts each as its request, its agent and the storage want, and follows
 * those that outlive their clients.
 */
export class Chats {
  /** Run the durable chats, one for each agent. The runtime must have them. */
  readonly workflows: readonly WorkflowDefinition[];
  readonly #outliveProcess: boolean;
  readonly #resumable: ResumableChats;
  readonly #durable: DurableChats;

  constructor(options: ChatsOptions) {
    this.#outliveProcess = options.outliveProcess;
    this.#durable = new DurableChats(options);
    this.#resumable = new ResumableChats({ ...options, durable: this.#durable });
    this.workflows = this.#durable.workflows;
  }

  /**
   * Starts a chat as soon as its conversation is free. Aborting the signal of the options ends a
   * plain chat; of others it ends only the wait and the chunks.
   *
   * @returns the chunks, those of chats that are not plain as JSON.
   * @throws InvalidInputError without a conversation, unless the chat is plain; what `startChat`,
   * `ConversationLock.acquire` and `reserve` throw.
   */
  async start(
    request: ChatRequest,
    services: ResumeServices,
  ): Promise<AsyncIterable<readonly (UIMessageChunk | string)[]>> {
    const { agent, callerKey, extendedMessage, input, options } = request;
    const kind = this.#chooseKind(request);
    if (kind === 'plain') return startChat(agent, input, options, services);

    const { conversationId, signal, userId } = options;
    if (conversationId === undefined)
      throw new InvalidInputError('body/options/conversationId is required for a chat that is resumable or durable');
    const chat = { agentId: agent.id, conversationId, userId, callerKey, policy: agent.onBusy, extendedMessage };
    return kind === 'durable' && !(await respondsToExecution(request, services))
      ? this.#durable.start(chat, input, options, signal, services.workflows)
      : this.#resumable.start(chat, signal, (writerSignal) =>
          startChat(agent, input, { ...options, signal: writerSignal }, services),
        );
  }

  /**
   * The live chat of a conversation that outlives its client, from its first chunk; undefined where
   * there is none.
   */
  async follow(owner: Owner, streamKey: StreamKey, signal: AbortSignal): Promise<ChatChunks | undefined> {
    return this.#resumable.find(owner, streamKey, signal);
  }

  /**
   * Stops the live chat of a conversation, whichever process writes it.
   *
   * @returns whether there was one.
   */
  async stop(owner: Owner, streamKey: StreamKey): Promise<boolean> {
    return this.#resumable.stop(owner, streamKey);
  }

  /**
   * Refuses chats that wait for their conversation, and waits for those of this process. Never
   * rejects.
   */
  async drain(graceMs: number): Promise<void> {
    this.#durable.drain();
    await this.#resumable.drain(graceMs);
  }

  /** The request decides before the agent, and the agent before the storage. */
  #chooseKind({ agent, durable, resumable }: ChatRequest): ChatKind {
    const isResumable = resumable ?? (durable === true || agent.resumable || agent.durable === true);
    if (!isResumable) return 'plain';
    return (durable ?? agent.durable ?? this.#outliveProcess) ? 'durable' : 'resumable';
  }
}

/**
 * Whether the input responds to executions of workflows. They continue by themselves, and are only
 * followed.
 */
async function respondsToExecution(
  { agent, input, options }: ChatRequest,
  { agentServices }: ResumeServices,
): Promise<boolean> {
  const { conversationId, user, userId } = options;
  return (await findExecutionResponses(input, agent, agentServices, { userId, conversationId, user })).length > 0;
}
