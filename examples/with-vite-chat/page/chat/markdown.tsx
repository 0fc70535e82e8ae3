import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';

interface MarkdownProps {
  readonly text: string;
  /** Whether more text follows: markup that is not closed yet is shown as if it were. */
  readonly isLive: boolean;
}

/** The Markdown of a model, without HTML. */
export const Markdown = memo(function Markdown({ isLive, text }: MarkdownProps): ReactNode {
  return (
    <div className="text">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {isLive ? remend(text) : text}
      </ReactMarkdown>
    </div>
  );
});

const plugins = [remarkGfm];

/**
 * Pictures are shown as links: a model could send what it knows to another host, in the URL of a
 * picture.
 */
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
  // Wide tables and code scroll, also by keyboard.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: ({ children }) => (
    <div className="table" role="region" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};
