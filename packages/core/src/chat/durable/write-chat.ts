import { AbortedError, type JsonValue, type Logger, type StreamStore, UnavailableError } from '@halyard/contracts';
import type { InternalRunOptions } from '../../agent/agent-options.ts';
import type { Agent } from '../../agent/agent.ts';
import type { AgentJournal } from '../../agent/loop/journal.ts';
import type { SharedInterval } from '../../async/shared-interval.ts';
import type { AgentInput, UIMessage } from '../../model/messages/message.ts';
import type { StepContext } from '../../workflow/definition/step-context.ts';
import { retryStorage } from '../../workflow/interpreter/step/retry-storage.ts';
import { StepJournal } from '../../workflow/interpreter/step/run-agent-step.ts';
import type { StepRun } from '../../workflow/interpreter/step/step-run.ts';
import { replayMessage } from '../stream/replay-message.ts';
import { StreamWriter } from '../stream/stream-writer.ts';
import { agentChunks } from '../ui-chunks.ts';
import { openChatStream } from './chat-stream.ts';

/** The options of a run that are stored with its execution. They are JSON. */
export type StoredRunOptions = Omit<
  InternalRunOptions,
  | 'context'
  | 'conversationId'
  | 'isRequest'
  | 'journal'
  | 'parent'
  | 'services'
  | 'signal'
  | 'traceParent'
  | 'user'
  | 'userId'
>;

/** The input of the execution that is a reply. */
export interface StoredChatRequest {
  readonly input: AgentInput;
  /** A new message gets the id of its run, which is recorded. */
  readonly options: StoredRunOptions;
  /** The stored message that the reply extends. */
  readonly extendedMessage?: UIMessage;
}

export interface WriteChatOptions {
  readonly streams: StreamStore;
  readonly ticks: SharedInterval;
  readonly leaseMs: number;
  readonly describeFailure: (error: unknown, streamId: string) => string;
  /**
   * Called with the reason when the agent refuses the request, or without when it has accepted it.
   */
  readonly onStart: (executionId: string, refusal?: unknown) => void;
  /** Whether this process has just begun the first stream of the execution. */
  readonly hasBegunHere: (executionId: string) => boolean;
  readonly logger: Logger;
}

/**
 * Runs the agent of a durable reply, and writes its chunks from the first one. Model and tool calls
 * that an earlier runner recorded are not made again.
 *
 * @param attempts how many streams this runner has begun: each call begins one of its own.
 * @returns undefined when the run has lost the lock of its conversation, or the lease of its
 * stream: another call continues it.
 */
export async function writeChat(
  agent: Agent,
  run: StepRun,
  { input: request, signal, user }: Pick<StepContext<unknown>, 'input' | 'signal' | 'user'>,
  attempts: { count: number },
  options: WriteChatOptions,
): Promise<JsonValue | undefined> {
  const { execution, executionRun } = run;
  const { context, conversationId = '', id: executionId, userId } = execution;
  const { extendedMessage, input, options: stored } = request as StoredChatRequest;
  const { describeFailure, hasBegunHere, leaseMs, logger, onStart, streams: store, ticks } = options;
  const { services } = executionRun.options;
  const runner = { executionId, epoch: executionRun.epoch, attempt: attempts.count };
  const streamKey = { agentId: agent.id, conversationId, userId };
  const { clock } = services;
  const opened = await openChatStream(runner, streamKey, {
    store,
    clock,
    leaseMs,
    signal,
    hasBegun: hasBegunHere(executionId),
    retry: (call) => retryStorage(run, call),
  });
  const { id, isStopRequested, leasedAt } = opened;
  attempts.count = opened.attempt + 1;
  const writer = new StreamWriter(id, {
    store,
    ticks,
    clock,
    logger,
    leaseMs,
    leasedAt,
    describeFailure: (error) => describeFailure(error, id),
  });
  const leave = (): void => writer.abandon();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  else if (isStopRequested) writer.stopOnRequest();
  const isFirst = runner.epoch === 1 && runner.attempt === 0;
  let isLockLost = false;
  const onLockLost = (): void => {
    isLockLost = true;
    leave();
  };
  /** Whether another call continues the reply, so that this run must not write any more. */
  const isLeft = (): boolean => isLockLost || writer.hasRunOut;
  const prefix = extendedMessage === undefined ? [] : replayMessage(extendedMessage);
  try {
    const runOptions: InternalRunOptions = {
      ...stored,
      context,
      conversationId,
      ...(userId !== undefined && { userId }),
      ...(user !== undefined && { user }),
      signal: writer.signal,
      isRequest: true,
      journal: chatJournal(run, {
        busyPolicy: isFirst ? agent.onBusy : 'queue',
        onLockLost,
        isLeft,
      }),
      services: { ...services, logger: run.logger },
    };
    const stream = await agent.streamText(input, runOptions);
    onStart(executionId);
    await writer.write(agentChunks(stream, input), prefix);
    await stream.result;
  } catch (error) {
    signal.throwIfAborted();
    if (isLeft()) return undefined;
    if (!(error instanceof AbortedError)) {
      onStart(executionId, error);
      await writer.end({ type: 'error', errorText: describeFailure(error, id) });
      throw error;
    }
    onStart(executionId);
    await writer.end({ type: 'abort' });
  } finally {
    signal.removeEventListener('abort', leave);
  }
  signal.throwIfAborted();
  if (writer.hasEnded) return { streamId: id };
  if (isLeft()) return undefined;
  throw new UnavailableError('ANSWER_LOST', 'The answer was lost: its stream is not stored any more');
}

/**
 * An approval ends the reply; the request with the decision continues the message in an execution
 * of its own. So nothing is suspended.
 */
function chatJournal(
  run: StepRun,
  { isLeft, ...options }: Pick<AgentJournal, 'onLockLost' | 'busyPolicy'> & { readonly isLeft: () => boolean },
): AgentJournal {
  const steps = new StepJournal(run);
  return {
    record: (key, work) => steps.record(key, work),
    isDelivered: (key) => steps.isDelivered(key),
    isStale: () => steps.isStale() || isLeft(),
    retryStorage: (call) => steps.retryStorage(call),
    repeatsEvents: true,
    // A waiting client can leave and return.
    lockWaitMs: Infinity,
    ...options,
  };
}
