import type { Logger, Message, SpanContext } from '@halyard/contracts';
import type { RunConversation } from '../../conversation/run-conversation.ts';
import type { ConversationWriter } from '../../conversation/writer/conversation-writer.ts';
import type { FetchFile } from '../../model/files/file-part.ts';
import type { SystemMessage } from '../../model/messages/message.ts';
import type { ModelCallOptions, ModelTool, Prompt, ResolvedModel } from '../../model/providers/model-port.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { Tool } from '../../tool/tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { RunContext } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import type { AgentTools } from '../agent-tools.ts';
import type { Agent } from '../agent.ts';
import type { AnsweredDelegation } from '../approvals/delegated-calls.ts';
import type { GenerationSettings, RunSettings, SentSettings } from '../generation-options.ts';
import type { Instructions } from '../instructions.ts';
import type { LoopControl } from '../loop-control.ts';
import type { BoundProcessor, ProcessorRun } from '../processors/bound-processor.ts';
import type { ToolCallRecord } from '../run-result.ts';
import type { Smoothing } from '../smoothing/smooth-stream.ts';
import type { Usage, UsageSum } from '../usage.ts';
import type { ActiveTools } from './active-tools.ts';
import type { RunCounter } from './count-run.ts';
import type { RunEvents } from './events.ts';
import type { AgentJournal } from './journal.ts';
import type { RunLimits } from './limits.ts';
import type { RunTally } from './run-tally.ts';
import type { CallIds } from './step/call-ids.ts';

/** Passes an event on. Returns a promise while the consumer is behind. */
export type Emit = (event: AgentEvent) => Promise<void> | undefined;

/** One run of an agent whose request was accepted. Functions take the parts that they need. */
export interface Run {
  readonly identity: RunIdentity;
  readonly dependencies: RunDependencies;
  readonly conversation: RunDialogue;
  readonly output: RunOutput;
}

/** The agent, the caller and the ids of a run. */
export interface RunIdentity extends RunContext {
  readonly id: string;
  /** Id of the assistant's message that the run writes. */
  readonly messageId: string;
  /** Ids from the agent that was called first down to this one. */
  readonly agentPath: readonly string[];
  /** Whether this is the run of a sub-agent. */
  readonly isDelegated: boolean;
  /** Absent where nothing is recorded. */
  readonly recording: RunRecording | undefined;
}

/** The models, settings and tools of a run, which may differ for one step. */
export interface RunDependencies extends ActiveTools {
  readonly agent: Agent;
  readonly services: AgentServices;
  /** Adds the ids of the run to each line. */
  readonly logger: Logger;
  readonly journal: AgentJournal;
  readonly limits: RunLimits;
  /** In the order in which they are tried. A model that replies becomes the first. */
  readonly models: ResolvedModel[];
  readonly settings: SentSettings;
  /** The names of the settings that only a default sets. */
  readonly defaulted: ReadonlySet<string>;
  /** The settings of a call of these models, with changes. */
  readonly settingsFor: (models: readonly ResolvedModel[], changes?: GenerationSettings) => RunSettings;
  readonly maxSteps: number;
  /** The options of the request, else of the agent. */
  readonly loop: LoopControl;
  /** Fetches the files that messages and tool outputs name by a URL. */
  readonly fetchFile: FetchFile;
  /** The run as the processors of the agent see it. */
  readonly processorRun: ProcessorRun;
  /** The processors of the agent. */
  readonly processors: readonly BoundProcessor[];
  /** The processors of the reply: the agent's, then those of the agents that it works for. */
  readonly outputProcessors: readonly BoundProcessor[];
  /** The tools of the agent in this run. */
  readonly tools: AgentTools;
  /** The tools of the agent and its memory, of which `modelTools` are active. */
  readonly allTools: ModelTool[];
  /** Finds a tool of this run, active or not. */
  readonly findTool: (name: string) => Tool | undefined;
}

/** The conversation and the messages of a run. */
export interface RunDialogue {
  /** Grows with each step. */
  readonly prompt: Prompt;
  /** Of the agent. */
  readonly instructions: Instructions;
  /** The system messages of the memory and the request, which follow the instructions. */
  readonly addedInstructions: readonly SystemMessage[];
  /** The newest text of the user. */
  readonly question: string;
  /** Responses to approval requests that came with the request. */
  readonly approvalResponses: readonly ApprovalResponse[];
  /** Calls whose sub-agents continue with responses that came with the request. */
  readonly delegations: readonly AnsweredDelegation[];
  /**
   * Another call of the same step still waits for its response: the run executes the decided calls,
   * and ends.
   */
  readonly isWaiting: boolean;
  /**
   * The conversation whose messages are not yet part of the prompt, because processors choose from
   * them.
   */
  readonly stored: RunConversation | undefined;
  /** Writes the conversation of the run, where it has one. */
  readonly writer: ConversationWriter | undefined;
  /** The stored reply to input that was sent twice: the run only returns it. */
  readonly storedReply: Message | undefined;
  /** As the provider reported it for the newest step. */
  lastUsage: Usage | undefined;
}

/** The events and totals of a run. */
export interface RunOutput {
  readonly events: RunEvents;
  /** Whether models are called as streams; may change between two steps. */
  readonly isStreaming: () => boolean;
  /** Of streamed texts. */
  readonly smoothing: Smoothing | undefined;
  /** Structured output. */
  readonly object: ObjectRequest | undefined;
  /** Of the calls of the reply. */
  readonly callIds: CallIds;
  readonly tally: RunTally;
  /** Includes the usage of sub-agents. */
  readonly usage: UsageSum;
  readonly counter: RunCounter;
}

/** A verified response to an approval request. */
export interface ApprovalResponse {
  readonly call: ToolCallRecord;
  readonly approved: boolean;
  readonly reason: string | undefined;
  /** The arguments that the person gives in place of those of the call. */
  readonly input?: unknown;
}

export interface ObjectRequest {
  /** Sent to the model. */
  readonly format: NonNullable<ModelCallOptions['responseFormat']>;
  /** How many times a reply that does not fit is sent back to the model. */
  readonly repairs: number;
  /** Describes to the model the fault of its output; undefined for output that fits. */
  readonly complaint: (text: string) => Promise<string | undefined>;
}

/** The run that a sub-agent works for: the sub-agent's events and usage go there. */
export interface ParentRun {
  /** Ids from the agent that was called first down to the caller of this one. */
  readonly agentPath: readonly string[];
  /** The call that delegates. */
  readonly toolCallId: string;
  readonly services: AgentServices;
  /**
   * Records the calls of the sub-agent's run. It serves one run: a second one in the same call
   * would find the results of the first.
   */
  readonly journal: AgentJournal;
  /** Whether the events are read. Without a reader, models are called without streaming. */
  readonly streaming: boolean;
  /** Returns a promise while the consumer is behind: await it before the next event. */
  readonly emit: (event: AgentEvent) => Promise<void> | undefined;
  /** The span of the delegating call, where it is recorded. */
  readonly span?: SpanContext;
  readonly addUsage: (usage: Usage) => void;
  /** They process the reply of the sub-agent, too. */
  readonly outputProcessors?: readonly BoundProcessor[];
}
