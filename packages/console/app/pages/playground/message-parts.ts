import { type DynamicToolUIPart, getToolName, type ToolUIPart, type UIMessage } from 'ai';

export function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The mark of the server at the end of a reply whose run did not end by itself. */
export function isMark(part: UIMessage['parts'][number]): boolean {
  return part.type === 'custom' && part.kind === 'halyard.incomplete';
}

export function isSource({ type }: UIMessage['parts'][number]): boolean {
  return type === 'source-url' || type === 'source-document';
}

/** Whether a message shows anything besides its sources. */
export function hasContent({ parts }: UIMessage): boolean {
  return parts.some(
    (part) =>
      !isMark(part) &&
      !isSource(part) &&
      part.type !== 'step-start' &&
      part.type !== 'data-agent-event' &&
      !((part.type === 'text' || part.type === 'reasoning') && part.text === ''),
  );
}

/** A source that the reply names. */
export interface Source {
  readonly id: string;
  readonly title: string;
  readonly url: string | undefined;
  readonly mediaType: string | undefined;
  /** The passage that supports the reply. */
  readonly quote: string | undefined;
}

/** The sources of a reply, each once, in the order in which they are named. */
export function sourcesOf({ parts }: UIMessage): readonly Source[] {
  const sources = new Map<string, Source>();
  const add = (source: Source): void => {
    const known = sources.get(source.id);
    sources.set(source.id, { ...source, ...known, quote: known?.quote ?? source.quote });
  };
  for (const part of parts) {
    if (part.type === 'source-url') add(toSource(part));
    else if (part.type === 'source-document') add(toSource(part));
    else if (part.type === 'text')
      for (const { citedText, source } of part.citations ?? []) add(toSource(source, citedText));
  }
  return [...sources.values()];
}

interface NamedSource {
  readonly id?: string;
  readonly sourceId?: string;
  readonly url?: string;
  readonly title?: string | undefined;
  readonly mediaType?: string;
}

function toSource({ id, mediaType, sourceId, title, url }: NamedSource, quote?: string): Source {
  const key = url ?? id ?? sourceId ?? '';
  return { id: key, title: title ?? key, url, mediaType, quote };
}

/** A tool call, as the page shows it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: string;
  /** As `StateMark` names it, and the word for it. */
  readonly state: string;
  readonly word: string;
  /** Set while a person has to decide. */
  readonly approvalId?: string;
  /** Whether the response may be for later calls, too. */
  readonly allowsAlways?: boolean;
  /** Why it was denied. */
  readonly reason?: string | undefined;
}

/** @param isLive whether the reply is still being generated. */
export function toToolCall(part: ToolUIPart | DynamicToolUIPart, isLive: boolean): ToolCall {
  const call = { id: part.toolCallId, name: getToolName(part), input: part.input };
  switch (part.state) {
    case 'output-available':
      return { ...call, state: 'completed', word: 'done', output: part.output };
    case 'output-error':
      return { ...call, state: 'error', word: 'failed', error: part.errorText };
    case 'output-denied':
      return { ...call, state: 'cancelled', word: 'denied', reason: part.approval.reason };
    case 'approval-requested':
      return {
        ...call,
        state: 'waiting',
        word: 'needs approval',
        approvalId: part.approval.id,
        allowsAlways: part.callProviderMetadata?.['halyard']?.['always'] === true,
      };
    case 'approval-responded':
      return part.approval.approved
        ? { ...call, ...(isLive ? running : stopped) }
        : { ...call, state: 'cancelled', word: 'denied', reason: part.approval.reason };
    default:
      return { ...call, ...(isLive ? running : stopped) };
  }
}

const running = { state: 'running', word: 'running' } as const;
const stopped = { state: 'cancelled', word: 'stopped' } as const;
