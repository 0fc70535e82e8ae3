import type { SpanContext } from '@halyard/contracts';
import type { AgentServices } from '../../services/agent-services.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { Usage } from '../usage.ts';
import type { AgentJournal } from './journal.ts';

/** The run a delegated agent works for: where its events, usage and cancellation go. */
export interface ParentRun {
  /** Ids from the agent that was asked down to the one that delegates. */
  readonly agentPath: readonly string[];
  readonly services: AgentServices;
  /** Where the delegated run records its calls. Of one run: a second one in the same call would find those of the first. */
  readonly journal: AgentJournal;
  /** Whether somebody watches the events; a run nobody watches calls models without streaming. */
  readonly streaming: boolean;
  /** A promise when the consumer is behind: wait for it before the next event. */
  readonly emit: (event: AgentEvent) => Promise<void> | undefined;
  /** The span of the call that delegates, where it is recorded. */
  readonly span?: SpanContext;
  readonly addUsage: (usage: Usage) => void;
}
