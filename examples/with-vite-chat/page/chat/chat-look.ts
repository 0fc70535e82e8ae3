import type { AgentId } from '@halyard/client';
import type { AgentMessage } from '@halyard/react';
import type { ReactNode } from 'react';

/** The words and pictures of an app. */
export interface ChatLook<App, Id extends AgentId<App>> {
  /** Above the list of conversations. */
  readonly brand: ReactNode;
  /** In the bar, beside the title. */
  readonly tools?: ReactNode;
  /** The name of the agent. */
  readonly speaker: string;
  readonly placeholder: string;
  /** The beginning of a conversation, above the questions. */
  readonly welcome: ReactNode;
  /** Questions to try. */
  readonly questions: readonly string[];
  /** Below the field for messages. */
  readonly note?: ReactNode;
  /** A view for the output of a tool; undefined: its name, input and output. */
  readonly viewTool?: (part: AgentMessage<App, Id>['parts'][number]) => ReactNode;
  /** The name of a tool for people. */
  readonly toolNames?: Readonly<Record<string, string>>;
  /** The question before a tool runs; undefined: its name and input. */
  readonly questionOf?: (toolName: string, input: unknown) => string | undefined;
}
