import {
  type Clock,
  type Executions,
  type Ids,
  InvalidInputError,
  type LiveStream,
  type Logger,
  type StreamStore,
} from '@halyard/contracts';
import type { InternalRunOptions } from '../../agent/agent-options.ts';
import type { Agent } from '../../agent/agent.ts';
import { approvalNotAcceptedCode } from '../../agent/approvals/approvals.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { ConversationLock } from '../../conversation/lock/conversation-lock.ts';
import type { AgentInput } from '../../model/messages/message.ts';
import { createStep } from '../../workflow/definition/create-step.ts';
import { internalWorkflow } from '../../workflow/definition/internal-workflow.ts';
import type { WorkflowDefinition } from '../../workflow/definition/workflow-definition.ts';
import { ownerForUser } from '../../workflow/engine/owner-for-user.ts';
import type { RunResult } from '../../workflow/engine/run-result.ts';
import type { WorkflowRuntime } from '../../workflow/engine/workflow-runtime.ts';
import { runBody } from '../../workflow/interpreter/step/run-body.ts';
import { replayMessage } from '../stream/replay-message.ts';
import type { ChatChunks, NewChat } from '../stream/resumable-chats.ts';
import { type ChatStreamKey, chatStreamId } from './chat-stream.ts';
import { chatWorkflowId } from './chat-workflow-id.ts';
import { followDurableChat, hasBegun } from './follow-durable-chat.ts';
import { type StoredChatRequest, type StoredRunOptions, writeChat } from './write-chat.ts';

export interface DurableChatsOptions {
  /** The agents that can chat. */
  readonly agents: readonly Agent[];
  readonly store: StreamStore;
  readonly executions: Executions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The lease of executions. */
  readonly leaseMs: number;
  /** How long a reply waits while its conversation has a run. */
  readonly queueWaitMs: number;
  /** The error with which chats that wait for their conversation are rejected at a shutdown. */
  readonly shutdownError: () => Error;
  /**
   * Counts a reply against the limits of its caller.
   *
   * @returns a function that ends that.
   * @throws when there are too many.
   */
  readonly reserve: (callerKey: string) => () => void;
  /** The text that readers get when a reply fails. */
  readonly describeFailure: (error: unknown, streamId: string) => string;
}

const tickMs = 250;
/**
 * A conversation stays taken while another process takes its reply over, which needs less than two
 * leases.
 */
const leasesPerStream = 6;

/**
 * Replies that are executions: each is run by a workflow of its agent, and when the process that
 * runs it ends, another one continues it.
 */
export class DurableChats {
  /** One for each agent. The runtime must have them. */
  readonly workflows: readonly WorkflowDefinition[];
  readonly #options: DurableChatsOptions;
  readonly #ticks = new SharedInterval(tickMs);
  readonly #lock: ConversationLock;
  /**
   * By execution whose stream this process has begun: called when the agent has accepted or refused
   * the request.
   */
  readonly #starting = new Map<string, (refusal: unknown) => void>();

  constructor(options: DurableChatsOptions) {
    this.#options = options;
    this.#lock = new ConversationLock(options.store, options.clock);
    this.workflows = options.agents.map((agent) => this.#findWorkflow(agent));
  }

  /**
   * Starts a reply when its conversation is free, and follows it.
   *
   * @param signal of the caller: stops waiting and following, not the reply.
   * @throws what `ConversationLock.acquire`, `reserve`, `WorkflowRuntime.begin` and, if this
   * process runs the reply, `Agent.streamText` throw.
   */
  async start(
    { agentId, callerKey, extendedMessage, conversationId, policy, userId }: NewChat,
    input: AgentInput,
    runOptions: InternalRunOptions,
    signal: AbortSignal,
    workflows: WorkflowRuntime,
  ): Promise<ChatChunks> {
    const { ids, leaseMs, queueWaitMs: waitMs, reserve, store } = this.#options;
    const executionId = ids.next();
    // The first claim of the execution has the epoch 1.
    const id = chatStreamId({ executionId, epoch: 1, attempt: 0 });
    const stream = { id, agentId, conversationId, userId };
    const release = reserve(callerKey);
    try {
      const lock = await this.#lock.acquire({ stream, conversationId, policy, signal, waitMs, leaseMs });
      // From here on, others see the stream.
      void lock.release();
    } catch (error) {
      release();
      throw error;
    }
    const { context, options, traceParent, user } = storedParts(runOptions);
    const request: StoredChatRequest = {
      input,
      options,
      ...(extendedMessage !== undefined && { extendedMessage }),
    };
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => {});
    this.#starting.set(executionId, refused.reject);
    const settle = (): void => {
      this.#starting.delete(executionId);
      release();
    };
    try {
      const start = { executionId, userId, conversationId, context, user, traceParent, subject: callerKey };
      await workflows.begin(chatWorkflowId(agentId), request, start);
    } catch (error) {
      settle();
      await store.discard(id);
      throw error;
    }
    const ended = workflows.wait({ owner: 'anyone', executionId });
    void ended.then(settle, settle);
    const owner = ownerForUser(userId);
    const after = extendedMessage === undefined ? 0 : replayMessage(extendedMessage).length;
    const chunks = this.#follow(id, { agentId, conversationId, owner }, { after, signal });
    return afterStart(chunks, { refused: refused.promise, ended });
  }

  /**
   * A durable reply from its first chunk, when it has begun. Undefined when it never will: its
   * server died before, or refused it.
   */
  async follow({ id }: LiveStream, streamKey: ChatStreamKey, signal: AbortSignal): Promise<ChatChunks | undefined> {
    const { clock, executions, store } = this.#options;
    const isThere = await hasBegun(id, { store, executions, clock, ticks: this.#ticks, streamKey, signal });
    return isThere ? this.#follow(id, streamKey, { after: 0, signal }) : undefined;
  }

  /** Refuses chats that wait for their conversation. Running ones belong to the workflows. */
  drain(): void {
    this.#lock.close(this.#options.shutdownError());
  }

  #follow(
    id: string,
    streamKey: ChatStreamKey,
    options: { readonly after: number; readonly signal: AbortSignal },
  ): ChatChunks {
    const { clock, executions, store } = this.#options;
    return followDurableChat(id, { ...options, store, executions, clock, ticks: this.#ticks, streamKey });
  }

  #findWorkflow(agent: Agent): WorkflowDefinition {
    const { describeFailure, leaseMs, logger, store } = this.#options;
    const options = {
      streams: store,
      ticks: this.#ticks,
      leaseMs: leaseMs * leasesPerStream,
      logger,
      describeFailure,
      onStart: (executionId: string, refusal?: unknown) => {
        if (refusal !== undefined) this.#starting.get(executionId)?.(refusal);
        this.#starting.delete(executionId);
      },
      hasBegunHere: (executionId: string) => this.#starting.has(executionId),
    };
    const step = createStep(
      'andAgent',
      { id: 'answer' },
      {
        agent,
        run: (run, data) => {
          const attempts = { count: 0 };
          return runBody(run, data, async (context) => {
            for (;;) {
              const output = await writeChat(agent, run, context, attempts, options);
              if (output !== undefined) return output;
            }
          });
        },
      },
    );
    return internalWorkflow(chatWorkflowId(agent.id), [step], {
      access: agent.access,
      name: `Durable answers of ${agent.name}`,
    });
  }
}

/**
 * Separates the options that are stored in the input of the execution from those that have fields
 * of their own, or belong to this process.
 */
function storedParts(given: InternalRunOptions): Pick<InternalRunOptions, 'context' | 'traceParent' | 'user'> & {
  readonly options: StoredRunOptions;
} {
  const { context, traceParent, user, ...rest } = given;
  const {
    conversationId: _,
    isRequest: _______,
    journal: __,
    parent: ___,
    services: ____,
    signal: _____,
    userId: ______,
    ...options
  } = rest;
  return { context, options, traceParent, user };
}

/** Throws the refusal before the first chunk, so that the caller gets the status of the error. */
async function afterStart(
  chunks: ChatChunks,
  { ended, refused }: { readonly ended: Promise<RunResult>; readonly refused: Promise<never> },
): Promise<ChatChunks> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => {});
  if (hasOnlyFailed(await Promise.race([first, refused]))) throwIfAnswered(await ended);
  return continued(first, iterator);
}

/** Where another process runs the reply, a refusal is all that its stream has. */
function hasOnlyFailed({ done, value }: IteratorResult<readonly string[], unknown>): boolean {
  return done !== true && value[0]?.startsWith('{"type":"error"') === true;
}

/** @throws InvalidInputError if another response has settled the approval of the request. */
function throwIfAnswered({ error }: RunResult): void {
  if (error?.code === approvalNotAcceptedCode) throw new InvalidInputError(error.message, { code: error.code });
}

async function* continued(
  first: Promise<IteratorResult<readonly string[]>>,
  iterator: AsyncIterator<readonly string[]>,
): AsyncGenerator<readonly string[], void, undefined> {
  try {
    for (let next = await first; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
