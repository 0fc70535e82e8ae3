import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';
import styles from './markdown.module.css';

/** Use it by `Markdown`, which loads it when it is needed. */
export const MarkdownView = memo(function MarkdownView({ text }: { readonly text: string }): ReactNode {
  return (
    <div className={styles.markdown}>
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

const plugins = [remarkGfm];

/** Pictures are links: loading one would tell another server what was asked. */
const components: Components = {
  a: ({ children, href }) => (
    <a href={href} target="_blank" rel="noreferrer nofollow ugc">
      {children}
    </a>
  ),
  img: ({ alt, src }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer nofollow ugc">
      {alt === undefined || alt === '' ? 'Picture' : alt}
    </a>
  ),
  table: ({ children }) => (
    <div className={styles.table} role="region" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ node }) => {
    const code = node?.children[0];
    if (code?.type !== 'element') return null;
    const text = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
    return <CodeBlock code={text.replace(/\n$/, '')} label="Code" />;
  },
};
