import { InvalidInputError, type Logger } from '@halyard/contracts';
import { abortable } from '../../async/abortable.ts';
import { extendedMessage } from '../../chat/extended-message.ts';
import { RunConversation } from '../../conversation/run-conversation.ts';
import { decodeDataUrl } from '../../model/files/file-download.ts';
import type { FetchFile } from '../../model/files/file-part.ts';
import { canReadUrl } from '../../model/files/readable-urls.ts';
import type { AgentInput, SystemMessage } from '../../model/messages/message.ts';
import { toPrompt } from '../../model/prompt/to-prompt.ts';
import type { Prompt, ResolvedModel } from '../../model/providers/model-port.ts';
import { refusedSettings } from '../../model/providers/refused-settings.ts';
import { resolveModels } from '../../model/providers/resolve-models.ts';
import { CorrelatedLogger, toTraceIds } from '../../telemetry/correlated-logger.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import { type Tool, toModelTool } from '../../tool/tool.ts';
import { type AcceptedInput, acceptInput, newestUserText } from '../agent-input.ts';
import type { RunContext, InternalRunOptions } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import type { AgentTools } from '../agent-tools.ts';
import type { Agent } from '../agent.ts';
import { acceptApprovalResponses, type AcceptedResponses } from '../approvals/approval-responses.ts';
import {
  type GenerationSettings,
  greatestMaxSteps,
  type RunSettings,
  runSettings,
  withChanges,
} from '../generation-options.ts';
import { acceptInstructions, type Instructions, systemPrompt } from '../instructions.ts';
import type { LoopControl } from '../loop-control.ts';
import type { BoundProcessor, ProcessorRun } from '../processors/bound-processor.ts';
import { InputCheck } from '../processors/input-check.ts';
import { isTextFile } from '../processors/text-file.ts';
import { acceptSmoothing } from '../smoothing/smooth-stream.ts';
import { usageSum } from '../usage.ts';
import { selectActiveTools } from './active-tools.ts';
import type { RunCounter } from './count-run.ts';
import { RunEvents } from './events.ts';
import { noJournal, storageCall } from './journal.ts';
import { limitedDownloads } from './limited-downloads.ts';
import { RunLimits } from './limits.ts';
import { endRefused } from './record-run.ts';
import { RunTally } from './run-tally.ts';
import type { Emit, ObjectRequest, Run } from './run.ts';
import { CallIds } from './step/call-ids.ts';

/** The consumer of a run's events. */
export interface EventConsumer {
  readonly emit: Emit;
  /** Whether the events are read. Without a reader, models are called without streaming. */
  readonly isStreaming: () => boolean;
}

export interface PrepareOptions {
  /** Whether no other run reads or writes the conversation. */
  readonly hasLock: boolean;
  /** Of the run. */
  readonly id: Promise<string>;
  readonly context: RunContext;
  readonly services: AgentServices;
  readonly recording: RunRecording | undefined;
  readonly counter: RunCounter;
  readonly object: ObjectRequest | undefined;
  readonly output: EventConsumer;
}

/**
 * Reads a request up to its prompt. Nothing is written, except that approvals are marked as used,
 * last of all: a request that is refused uses none.
 *
 * @throws InvalidInputError, GuardrailBlockedError, ProcessorFailedError, NotFoundError for a
 * conversation of another user, UnavailableError when it cannot be read, AbortedError,
 * TimeLimitError
 */
export async function prepare(
  agent: Agent,
  input: AgentInput,
  options: InternalRunOptions,
  { context, counter, hasLock, id: runId, object, output, recording, services }: PrepareOptions,
): Promise<Run> {
  const limits = new RunLimits(agent.timeouts, options.signal);
  try {
    const maxSteps = acceptMaxSteps(options.maxSteps ?? agent.maxSteps);
    const { smoothStream } = options;
    const smoothing = smoothStream === undefined ? agent.smoothing : acceptSmoothing('the call', smoothStream);
    limits.throwIfAborted();
    const { journal = noJournal, parent } = options;
    const id = await runId;
    if (recording !== undefined) recording.details.runId = id;
    const logger = runLogger(agent, id, context, services.logger, recording);
    const processorRun: ProcessorRun = { context, recording, clock: services.clock, refusal: undefined };
    const processors = agent.processors.map((processor) => ({ processor, run: processorRun }));
    const { signal } = limits;
    const tools = await abortable(Promise.resolve(agent.toolsFor(context)), signal);
    const parts = { context, hasLock, id, input, logger, options, processors, recording, services, signal, tools };
    const { requests, memoryTools, conversation, ...accepted } = await abortable(
      readRequest({ agent, ...parts }),
      signal,
    );
    const { models } = accepted;
    // Once per run: a run that is repeated from its journal has used them already.
    if (requests.length > 0)
      await journal.record('answers', async () => {
        for (const { answer, request } of requests)
          await storageCall(journal, () => services.approvals.consume(request, answer, context.userId));
        return null;
      });
    limits.throwIfAborted();

    const settingsFor = (asked: readonly ResolvedModel[], changes?: GenerationSettings): RunSettings => {
      const settings = changes === undefined ? options : withChanges(agent.settings, options, changes);
      const defaults = agent.takesDefaults(asked) ? options.generationDefaults : undefined;
      return runSettings(agent.settings, settings, defaults, refusedSettings(asked[0]));
    };
    const { defaulted, sent } = settingsFor(models);
    const loop = loopControl(options, agent.loop);
    const allTools = [...tools.modelTools, ...memoryTools.map(toModelTool)];
    const storedReply = conversation?.storedReply;
    const writer = storedReply === undefined ? conversation?.startWriter(models) : undefined;
    if (recording !== undefined && writer !== undefined) recording.details.messageId = writer.messageId;
    const { conversationId, userId } = context;
    const findTool = (name: string): Tool | undefined =>
      tools.find(name) ?? memoryTools.find((tool) => tool.name === name);
    const isClientSide = (name: string): boolean => findTool(name)?.clientSide === true;
    const hookRun = { agentId: agent.id, runId: id, userId, conversationId, context: context.context };
    const { addedInstructions, delegations, fetchFile, instructions, isWaiting, prompt, question, responses } =
      accepted;
    return {
      identity: {
        ...context,
        id,
        messageId: storedReply?.id ?? writer?.messageId ?? options.messageId ?? extendedMessage(input)?.id ?? id,
        agentPath: [...(parent?.agentPath ?? []), agent.id],
        isDelegated: parent !== undefined,
        recording,
      },
      dependencies: {
        agent,
        services,
        logger,
        journal,
        limits,
        models: [...models],
        settings: sent,
        defaulted,
        settingsFor,
        maxSteps,
        loop,
        fetchFile,
        processorRun,
        processors,
        outputProcessors: [
          ...processors.filter(({ processor }) => processor.processOutput !== undefined),
          ...(parent?.outputProcessors ?? []),
        ],
        tools,
        allTools,
        ...selectActiveTools(allTools, loop),
        findTool,
      },
      conversation: {
        prompt,
        instructions,
        addedInstructions,
        question,
        approvalResponses: responses,
        delegations,
        isWaiting,
        // A run that only repeats a reply sends no prompt.
        stored: storedReply === undefined && conversation?.hasWholeHistory === true ? conversation : undefined,
        writer,
        storedReply,
        lastUsage: undefined,
      },
      output: {
        events: new RunEvents({
          hooks: agent.hooks,
          hookRun,
          journal,
          logger,
          writer,
          isClientSide,
          emit: output.emit,
        }),
        isStreaming: output.isStreaming,
        smoothing,
        object,
        callIds: new CallIds(),
        tally: new RunTally(),
        usage: usageSum(parent?.addUsage),
        counter,
      },
    };
  } catch (error) {
    limits.stop();
    const failure = limits.signal.aborted ? limits.failure() : error;
    if (recording !== undefined) endRefused(recording, input, failure);
    throw failure;
  }
}

/** A request while it is read. */
export interface RunRequest {
  readonly agent: Agent;
  /** Those of the agent in this run. */
  readonly tools: AgentTools;
  /** Whether no other run reads or writes the conversation. */
  readonly hasLock: boolean;
  /** Of the run. */
  readonly id: string;
  readonly input: AgentInput;
  readonly options: InternalRunOptions;
  readonly context: RunContext;
  readonly services: AgentServices;
  readonly logger: Logger;
  readonly recording: RunRecording | undefined;
  readonly processors: readonly BoundProcessor[];
  readonly signal: AbortSignal;
}

interface AcceptedRequest extends Omit<AcceptedResponses, 'messages'> {
  /** The newest text of the user. */
  readonly question: string;
  readonly prompt: Prompt;
  readonly models: readonly ResolvedModel[];
  readonly conversation: RunConversation | undefined;
  readonly fetchFile: FetchFile;
  readonly instructions: Instructions;
  readonly addedInstructions: readonly SystemMessage[];
  /** Tools of the memory. A tool of the agent that has the same name replaces one. */
  readonly memoryTools: readonly Tool[];
}

async function readRequest(request: RunRequest): Promise<AcceptedRequest> {
  const { agent, context, input, processors, services, signal, tools } = request;
  const choice = typeof agent.model === 'function' ? await agent.model(context) : agent.model;
  const models = await resolveModels(choice, agent.providers);
  const check = new InputCheck(processors);
  const download = limitedDownloads((url) => services.downloadFile(url, signal));
  const fetchFile = check.files(async (url, mediaType) => {
    if (/^data:/i.test(url)) return decodeDataUrl(url);
    // The model must not read a text that processors have not checked.
    const isChecked = check.isNeeded && isTextFile(mediaType);
    if (!isChecked && (await canReadUrl(models, url, mediaType))) return { passedOn: new URL(url) };
    return download(url);
  });
  const conversation = await RunConversation.open(request, fetchFile, check);
  const reading = { acceptSystemMessages: agent.acceptSystemMessages, toolOutputs: tools.toolOutputs };
  const sent = conversation?.sent ?? { ...(await checkAccepted(await acceptInput(input, reading), check)), fetchFile };
  const { journal, settledApprovals } = request.options;
  const isRepeated = journal?.isDelivered?.('answers') === true;
  const responding = { ...request, isRepeated };
  const responder = { ...context, settledApprovals };
  const { messages, ...approvals } = await acceptApprovalResponses(sent.messages, responding, services, responder);

  const question = newestUserText(messages) ?? '';
  const remembered = await conversation?.remember();
  const instructions =
    typeof agent.instructions === 'function'
      ? acceptInstructions(agent.id, await agent.instructions(context))
      : agent.instructions;
  const addedInstructions = [{ role: 'system', content: remembered?.instructions ?? '' } as const, ...sent.system];
  const decided = new Set([...approvals.responses, ...approvals.delegations].map(({ call }) => call.toolCallId));
  // Where processors choose from the whole history, the run adds it when it has started.
  const history = conversation?.hasWholeHistory === false ? await conversation.history(question) : [];
  const notes = remembered?.notes === undefined ? [] : [remembered.notes];
  const prompt: Prompt = [...history, ...notes, ...(await toPrompt(messages, decided, sent.fetchFile))];
  prompt.unshift(...systemPrompt(instructions, addedInstructions));
  const memoryTools = remembered?.tools.filter(({ name }) => tools.find(name) === undefined) ?? [];
  return {
    ...approvals,
    question,
    prompt,
    models,
    conversation,
    fetchFile,
    instructions,
    addedInstructions,
    memoryTools,
  };
}

function loopControl(request: LoopControl, agent: LoopControl): LoopControl {
  return {
    activeTools: request.activeTools ?? agent.activeTools,
    prepareStep: request.prepareStep ?? agent.prepareStep,
    repairToolCall: request.repairToolCall ?? agent.repairToolCall,
    stopWhen: request.stopWhen ?? agent.stopWhen,
    toolChoice: request.toolChoice ?? agent.toolChoice,
  };
}

/** A run without a conversation: all messages come from the request. */
async function checkAccepted({ messages, system }: AcceptedInput, check: InputCheck): Promise<AcceptedInput> {
  if (!check.isNeeded) return { messages, system };
  return { system: await check.messages(system), messages: await check.messages(messages) };
}

function acceptMaxSteps(maxSteps: number): number {
  if (Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= greatestMaxSteps) return maxSteps;
  throw new InvalidInputError(`body/options/maxSteps must be an integer from 1 to ${greatestMaxSteps}`);
}

function runLogger(
  { id: agentId }: Agent,
  runId: string,
  { conversationId, userId }: RunContext,
  logger: Logger,
  recording: RunRecording | undefined,
): Logger {
  return new CorrelatedLogger(logger, () => ({
    agentId,
    runId,
    ...(conversationId !== undefined && { conversationId }),
    ...(userId !== undefined && { userId }),
    ...(recording && toTraceIds(recording.span)),
  }));
}
