import { isToolUIPart, type UIMessage } from 'ai';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { isStopped as isMarkedStopped } from '../conversations/is-stopped.ts';
import { TraceLink } from '../traces/trace-link.tsx';
import type { Timing } from './event-log.ts';
import { FileList } from './file-list.tsx';
import { hasContent, isMark, isSource, type Source, sourcesOf, textOf, toToolCall } from './message-parts.ts';
import type { SubAgents } from './sub-agents.ts';
import { type Approver, ToolCallView } from './tool-call-view.tsx';
import styles from './playground.module.css';

interface ChatMessageProps {
  readonly message: UIMessage;
  readonly agentName: string;
  readonly isLive: boolean;
  /** A person has ended it. */
  readonly isStopped: boolean;
  readonly subAgents: SubAgents;
  readonly timing: Timing | undefined;
  readonly onEdit: (() => void) | undefined;
  readonly onRegenerate: (() => void) | undefined;
  /** Below a reply. */
  readonly feedback: ReactNode;
  /** Absent while nothing can be answered. */
  readonly approver: Approver | undefined;
}

/** A message with all its parts, in their order. */
export function ChatMessage(props: ChatMessageProps): ReactNode {
  const { agentName, feedback, isLive, isStopped, message, onEdit, onRegenerate, timing } = props;
  const text = textOf(message);
  const mark = message.parts.find(isMark);
  return (
    <li className={classes(styles.message, styles[message.role])} aria-busy={isLive}>
      <header>
        <h3>{message.role === 'assistant' ? agentName : roles[message.role]}</h3>
        <span className={styles.actions}>
          {/* At the sides where the others do not move when it comes. */}
          {onEdit && <IconButton icon="edit" label="Edit the message" onClick={onEdit} />}
          {text !== '' && <CopyButton text={text} label="Copy the text" />}
          {onRegenerate && <IconButton icon="retry" label="Answer again" onClick={onRegenerate} />}
        </span>
      </header>
      {hasContent(message) && (
        <div className={styles.bubble}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} {...props} />
          ))}
        </div>
      )}
      <Sources sources={sourcesOf(message)} />
      {!isLive && (isStopped || mark !== undefined) && (
        <p className={styles.stopped}>
          <Icon name="stop" size={12} />{' '}
          {isStopped || (mark !== undefined && isMarkedStopped(mark))
            ? 'You stopped this answer.'
            : 'This answer is incomplete.'}
        </p>
      )}
      {message.role === 'assistant' && (
        <footer className={styles.footer}>
          {!isLive && <Measures message={message} timing={timing} />}
          {feedback}
        </footer>
      )}
    </li>
  );
}

const roles = { user: 'User', system: 'System' } as const;

function Part({
  approver,
  isLive,
  message,
  part,
  subAgents,
}: ChatMessageProps & { readonly part: UIMessage['parts'][number] }): ReactNode {
  if (part.type === 'text') {
    // Texts of people are shown as they wrote them.
    return message.role === 'assistant' ? (
      <Markdown text={part.text} />
    ) : (
      <p className={styles.text} dir="auto">
        {part.text}
      </p>
    );
  }
  if (part.type === 'file' || part.type === 'reasoning-file') return <FileList files={[part]} />;
  if (part.type === 'reasoning') {
    if (part.text === '') return null;
    return (
      <details className={styles.reasoning}>
        <summary>Reasoning</summary>
        <Markdown text={part.text} />
      </details>
    );
  }
  if (part.type === 'step-start' || part.type === 'data-agent-event' || isMark(part) || isSource(part)) return null;
  if (!isToolUIPart(part)) return <JsonView label={part.type} value={part} depth={1} />;
  const call = toToolCall(part, isLive);
  return <ToolCallView call={call} activity={subAgents[call.id]} approver={approver} />;
}

/** What the reply refers to, below its text. */
function Sources({ sources }: { readonly sources: readonly Source[] }): ReactNode {
  if (sources.length === 0) return null;
  return (
    <ol className={styles.sources} aria-label="Sources">
      {sources.map(({ id, mediaType, quote, title, url }, index) => (
        <li key={id}>
          <span>{index + 1}</span>
          <FileLink name={title} mediaType={mediaType ?? hostOf(url)} url={url} />
          {quote !== undefined && <q dir="auto">{quote}</q>}
        </li>
      ))}
    </ol>
  );
}

function hostOf(url: string | undefined): string | undefined {
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url).host;
}

/** The duration and the tokens of the reply. */
function Measures({ message, timing }: Pick<ChatMessageProps, 'message' | 'timing'>): ReactNode {
  const tokens = countTokens(message.metadata);
  if (timing === undefined && tokens === undefined) return null;
  return (
    <p className={styles.measures}>
      {timing?.firstMs !== undefined && <span>first output after {formatDuration(timing.firstMs)}</span>}
      {timing?.totalMs !== undefined && <span>{formatDuration(timing.totalMs)} in all</span>}
      {tokens !== undefined && <span>{tokens}</span>}
      {timing !== undefined && <TraceLink traceId={timing.traceId}>Trace</TraceLink>}
    </p>
  );
}

function countTokens(metadata: unknown): string | undefined {
  const { usage } = (metadata ?? {}) as { readonly usage?: Readonly<Record<string, unknown>> };
  const { completionTokens, promptTokens } = usage ?? {};
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined;
  return `${formatCount(promptTokens)} tokens in, ${formatCount(completionTokens)} out`;
}
