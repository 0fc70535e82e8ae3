import { InvalidInputError, type Logger } from '@halyard/contracts';
import { runOwner } from '../../memory/run-owner.ts';
import type { Turn } from '../../memory/turn/turn.ts';
import type { AgentInput } from '../../model/message.ts';
import type { ModelTool, Prompt, ResolvedModel } from '../../model/model-port.ts';
import { abortable } from '../../services/abortable.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { Tool } from '../../tool/tool.ts';
import type { RunContext, RunOptions } from '../agent-options.ts';
import type { Agent } from '../agent.ts';
import type { ApprovalRequest } from '../approvals/approvals.ts';
import { greatestMaxSteps, requestSettings, type SentSettings } from '../generation-options.ts';
import type { HookRun } from '../hooks.ts';
import { addUsage, noUsage, type Usage } from '../usage.ts';
import { acceptRemembered, type RunMemory } from './accept-remembered.ts';
import { type AcceptedRequest, acceptRequest, plainRequest } from './accept-request.ts';
import { type AgentJournal, noJournal } from './journal.ts';
import { RunLimits } from './limits.ts';
import type { ParentRun } from './parent-run.ts';
import { beginRecording, endRefused } from './record-run.ts';
import { runLogger } from './run-logger.ts';
import type { Emit, ObjectRequest, Run } from './run.ts';
import { toModelTool } from './to-model-tool.ts';

/** Who hears of a run. */
export interface Audience {
  readonly emit: Emit;
  /** Whether somebody watches; asked before each model call where that may change. */
  readonly streaming: boolean | (() => boolean);
}

export interface PreparedOptions extends Audience {
  readonly object: ObjectRequest | undefined;
}

/** What there is of a run before its request is looked at. */
export interface BegunRun {
  readonly context: RunContext;
  readonly services: AgentServices;
  readonly recording: RunRecording | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

const noContext: Readonly<Record<string, unknown>> = {};

/** @param operation what the run is recorded as, where its options do not say. */
export function beginRun(agent: Agent, options: RunOptions, operation: string): BegunRun {
  const services = servicesOf(agent, options.services);
  const context: RunContext = {
    context: options.context ?? noContext,
    user: options.user,
    userId: options.memory?.userId ?? options.userId,
    conversationId: options.memory?.conversationId ?? options.conversationId,
  };
  const startedAt = services.clock.now();
  const recording = beginRecording(agent, options, context, services, options.operation ?? operation, startedAt);
  return { context, services, recording, startedAt };
}

/**
 * Everything that can refuse a request, before anything is generated: messages, approvals, guardrails, files.
 *
 * @throws InvalidInputError, GuardrailBlockedError, AbortedError
 */
export async function prepareRun(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  { context, recording, services }: BegunRun,
  { emit, streaming, object }: PreparedOptions,
): Promise<Run> {
  const limits = new RunLimits(agent.timeouts, options.signal);
  try {
    const maxSteps = acceptMaxSteps(options.maxSteps ?? agent.maxSteps);
    limits.throwIfAborted();
    const { journal = noJournal } = options;
    // Recorded, since idempotency keys and ids of messages are made of it.
    const id =
      journal === noJournal ? services.ids.next() : await journal.record('run', async () => services.ids.next());
    recording?.details.named(id);
    const logger = runLogger(services.logger, { agentId: agent.id, runId: id, recording }, context);
    const runMemory = memoryOf(agent, context, options, services);
    const accepted =
      runMemory === undefined
        ? (plainRequest(agent, input) ??
          (await abortable(acceptRequest(agent, input, context, services, limits.signal), limits.signal)))
        : await abortable(
            acceptRemembered(agent, input, {
              context,
              logger,
              options,
              recording,
              runId: id,
              runMemory,
              services,
              signal: limits.signal,
            }),
            limits.signal,
          );
    const { requests } = accepted;
    // Last, so that a request that is refused uses no approval up.
    if (requests.length > 0) await consumeAll(journal, services, requests);
    limits.throwIfAborted();

    return new PreparedRun(agent, options, {
      accepted,
      limits,
      context,
      emit,
      id,
      journal,
      logger,
      maxSteps,
      object,
      recording,
      services,
      streaming,
    });
  } catch (error) {
    limits.stop();
    const failure = limits.signal.aborted ? limits.failure() : error;
    if (recording !== undefined) endRefused(recording, input, failure);
    throw failure;
  }
}

interface RunParts
  extends
    Audience,
    Pick<Run, 'limits' | 'id' | 'journal' | 'logger' | 'maxSteps' | 'object' | 'recording' | 'services'> {
  readonly accepted: AcceptedRequest;
  readonly context: RunContext;
}

/** A class, because V8 soon allocates an object literal that outlives a few collections among the old objects, where it keeps all of a run. */
class PreparedRun implements Run {
  readonly agent: Agent;
  readonly id: string;
  readonly services: AgentServices;
  readonly logger: Logger;
  readonly recording: RunRecording | undefined;
  readonly journal: AgentJournal;
  readonly context: RunContext['context'];
  readonly user: RunContext['user'];
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly hookRun: HookRun;
  readonly models: readonly ResolvedModel[];
  readonly settings: SentSettings;
  readonly maxSteps: number;
  readonly prompt: Prompt;
  readonly answers: Run['answers'];
  readonly stillWaiting: boolean;
  readonly agentPath: readonly string[];
  readonly limits: RunLimits;
  readonly emit: Emit;
  readonly recall: Emit;
  readonly object: ObjectRequest | undefined;
  readonly delegated: boolean;
  readonly messageId: string;
  readonly turn: Turn | undefined;
  readonly modelTools: ModelTool[];
  readonly #tools: readonly Tool[];
  readonly #streaming: Audience['streaming'];
  readonly #parent: ParentRun | undefined;
  #usage: Usage = noUsage;

  constructor(agent: Agent, options: RunOptions, parts: RunParts) {
    const { accepted, context, id } = parts;
    this.agent = agent;
    this.id = id;
    this.services = parts.services;
    this.logger = parts.logger;
    this.recording = parts.recording;
    this.journal = parts.journal;
    this.context = context.context;
    this.user = context.user;
    this.userId = context.userId;
    this.conversationId = context.conversationId;
    this.hookRun = {
      agentId: agent.id,
      runId: id,
      userId: context.userId,
      conversationId: context.conversationId,
      context: context.context,
    };
    this.models = accepted.models;
    this.settings = requestSettings(agent.settings, options);
    this.maxSteps = parts.maxSteps;
    this.prompt = accepted.prompt;
    this.answers = accepted.answers;
    this.stillWaiting = accepted.stillWaiting;
    this.agentPath = options.parent === undefined ? [agent.id] : [...options.parent.agentPath, agent.id];
    this.#streaming = parts.streaming;
    this.limits = parts.limits;
    const { turn, tools = noTools } = accepted;
    this.turn = turn;
    this.messageId = turn?.messageId ?? options.messageId ?? id;
    this.emit = turn === undefined ? parts.emit : noted(turn, parts.emit);
    this.recall = turn === undefined ? forgotten : recalled(turn);
    this.#tools = tools;
    this.modelTools = tools === noTools ? agent.modelTools : withTools(agent.modelTools, tools);
    this.object = parts.object;
    this.delegated = options.parent !== undefined;
    this.#parent = options.parent;
  }

  get streaming(): boolean {
    return typeof this.#streaming === 'function' ? this.#streaming() : this.#streaming;
  }

  findTool(name: string): Tool | undefined {
    return this.agent.findTool(name) ?? this.#tools.find((tool) => tool.name === name);
  }

  readonly addUsage = (added: Usage): void => {
    this.#usage = addUsage(this.#usage, added);
    this.#parent?.addUsage(added);
  };

  readonly usage = (): Usage => this.#usage;
}

const noTools: readonly Tool[] = [];

/** An agent's own tool wins over one of the memory that has its name. */
function withTools(own: ModelTool[], tools: readonly Tool[]): ModelTool[] {
  const others = tools.filter(({ name }) => own.every((tool) => tool.name !== name));
  return [...own, ...others.map(toModelTool)];
}

function noted(turn: Turn, emit: Emit): Emit {
  return (event) => {
    turn.note(event);
    return emit(event);
  };
}

const forgotten: Emit = () => undefined;

function recalled(turn: Turn): Emit {
  return (event) => {
    turn.recall(event);
    return undefined;
  };
}

/** The memory that a run reads and writes: it needs a conversation and a user. Who works for another knows nothing of the conversation. */
function memoryOf(
  agent: Agent,
  { conversationId, userId }: RunContext,
  { parent, user }: RunOptions,
  services: AgentServices,
): RunMemory | undefined {
  const memory = agent.memoryIn(services);
  if (memory === undefined || conversationId === undefined || parent !== undefined) return undefined;
  const owner = runOwner(user);
  const ownerId = owner === 'anyone' ? userId : owner.user;
  return ownerId === undefined ? undefined : { memory, key: { owner, conversationId, userId: ownerId } };
}

/** A server brings everything, with each request: nothing is copied then. */
function servicesOf(agent: Agent, given: Partial<AgentServices> | undefined): AgentServices {
  if (given === undefined) return agent.services;
  return isComplete(given) ? given : { ...agent.services, ...given };
}

function isComplete(services: Partial<AgentServices>): services is AgentServices {
  const { approvals, clock, downloadFile, ids, logger } = services;
  return (approvals && clock && downloadFile && ids && logger) !== undefined;
}

/** Once per run: when it is repeated from its journal, its approvals are its own already. */
async function consumeAll(
  journal: AgentJournal,
  { approvals }: AgentServices,
  requests: readonly ApprovalRequest[],
): Promise<void> {
  await journal.record('answers', async () => {
    for (const request of requests) await approvals.consume(request);
    return null;
  });
}

function acceptMaxSteps(maxSteps: number): number {
  if (Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= greatestMaxSteps) return maxSteps;
  throw new InvalidInputError(`body/options/maxSteps must be an integer from 1 to ${greatestMaxSteps}`);
}
