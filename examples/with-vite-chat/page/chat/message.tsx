import { isToolUIPart } from 'ai';
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import type { HarbourMessage } from './harbour-client.ts';
import { AgainIcon } from './icons.tsx';
import { ToolPart } from './tool-part.tsx';

export function QuestionEntry({ message }: { readonly message: HarbourMessage }): ReactNode {
  return (
    <article className="entry question">
      <h3>You</h3>
      <p>{message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}</p>
    </article>
  );
}

interface AnswerEntryProps {
  readonly message: HarbourMessage;
  readonly isLive: boolean;
  /** Absent where the answer cannot be generated again. */
  readonly onRepeat: (() => void) | undefined;
}

export function AnswerEntry({ isLive, message, onRepeat }: AnswerEntryProps): ReactNode {
  // An answer that failed at once has nothing to show.
  if (message.parts.every(({ type }) => type === 'step-start')) return null;
  return (
    <article className="entry answer" aria-busy={isLive}>
      <h3>Desk</h3>
      <div>
        {message.parts.map((part, index) => {
          if (part.type === 'text')
            return (
              <div key={index} className="text">
                <ReactMarkdown components={components}>{part.text}</ReactMarkdown>
              </div>
            );
          return isToolUIPart(part) ? <ToolPart key={part.toolCallId} part={part} isLive={isLive} /> : null;
        })}
        {onRepeat !== undefined && (
          <button type="button" className="again" onClick={onRepeat}>
            <AgainIcon /> Answer again
          </button>
        )}
      </div>
    </article>
  );
}

/** Pictures are shown as links: a model could send what it knows to a host of its choice, in the URL of a picture. */
const components: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  ),
  img: ({ alt, src }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer">
      {alt === undefined || alt === '' ? 'Picture' : alt}
    </a>
  ),
};
