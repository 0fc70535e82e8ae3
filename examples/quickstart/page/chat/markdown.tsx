import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { CodeBlock } from './code-block.tsx';

interface MarkdownProps {
  readonly text: string;
  /** Whether more text follows: markup that is not closed yet is shown as if it were. */
  readonly isLive: boolean;
}

/** Markdown of a model. HTML in it is shown as text, and images are shown as links, so that an answer cannot send data elsewhere. */
export const Markdown = memo(function Markdown({ isLive, text }: MarkdownProps): ReactNode {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {isLive ? remend(text) : text}
      </ReactMarkdown>
    </div>
  );
});

const plugins = [remarkGfm];

const components: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  ),
  img: ({ alt, src }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer">
      {alt === undefined || alt === '' ? 'Image' : alt}
    </a>
  ),
  table: ({ children }) => (
    <div className="table" role="region" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ node }) => {
    const code = node?.children[0];
    if (code?.type !== 'element') return null;
    const text = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
    return <CodeBlock language={languageOf(code.properties['className'])} code={text.replace(/\n$/, '')} />;
  },
};

/** `language-ts` → `ts`. */
function languageOf(className: unknown): string {
  const classes: readonly unknown[] = Array.isArray(className) ? className : [];
  const name = classes.find((one) => typeof one === 'string' && one.startsWith('language-'));
  return typeof name === 'string' ? name.slice('language-'.length) : '';
}
