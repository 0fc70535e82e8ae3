import type { Logger, User } from '@halyard/contracts';
import type { Turn } from '../../memory/turn/turn.ts';
import type { ModelTool, Prompt, ResolvedModel } from '../../model/model-port.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { Tool } from '../../tool/tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { RunContext } from '../agent-options.ts';
import type { Agent } from '../agent.ts';
import type { SentSettings } from '../generation-options.ts';
import type { HookRun } from '../hooks.ts';
import type { ToolCallRecord } from '../run-result.ts';
import type { Usage } from '../usage.ts';
import type { AgentJournal } from './journal.ts';
import type { RunLimits } from './limits.ts';

/** Where the events of a run go. A promise when the consumer is behind. */
export type Emit = (event: AgentEvent) => Promise<void> | undefined;

/** An answer to a request for approval, already verified. */
export interface ApprovalAnswer {
  readonly call: ToolCallRecord;
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** One run of an agent: accepted, and ready to start. */
export interface Run extends RunContext {
  readonly agent: Agent;
  readonly id: string;
  readonly services: AgentServices;
  /** Says in each line which run it is of. */
  readonly logger: Logger;
  /** Undefined where nothing is recorded. */
  readonly recording: RunRecording | undefined;
  readonly journal: AgentJournal;
  readonly user: User | undefined;
  readonly hookRun: HookRun;
  readonly models: readonly ResolvedModel[];
  readonly settings: SentSettings;
  readonly maxSteps: number;
  /** Grows with each step. */
  readonly prompt: Prompt;
  readonly answers: readonly ApprovalAnswer[];
  /** A call of the last step still waits for its answer: the run executes the calls that were answered, and ends. */
  readonly stillWaiting: boolean;
  /** From the agent that was asked down to this one. */
  readonly agentPath: readonly string[];
  readonly streaming: boolean;
  readonly limits: RunLimits;
  readonly emit: Emit;
  /** Takes an event of an earlier try, which nobody is told of again, for what the run writes. */
  readonly recall: Emit;
  /** What the run writes into its conversation. */
  readonly turn: Turn | undefined;
  /** Of the assistant's message that the run writes. */
  readonly messageId: string;
  /** What models are told of the tools of this run. */
  readonly modelTools: ModelTool[];
  /** A tool that models may call in this run. */
  findTool(name: string): Tool | undefined;
  /** Structured output: what is asked of the model, and what is wrong with an answer. */
  readonly object: ObjectRequest | undefined;
  /** Whether this run works for another one. */
  readonly delegated: boolean;
  readonly addUsage: (usage: Usage) => void;
  /** What this run and those that worked for it have cost so far. */
  readonly usage: () => Usage;
}

export interface ObjectRequest {
  readonly jsonSchema: JsonSchema;
  /** How often an answer that does not fit is sent back. */
  readonly repairs: number;
  /** A sentence that tells the model what is wrong; undefined when the text is a fitting object. */
  readonly complaint: (text: string) => Promise<string | undefined>;
}
