import { lazy, type ReactNode, Suspense } from 'react';
import styles from './markdown.module.css';

const View = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

/**
 * Markdown of a model or a person. HTML in it is text. The parser is loaded when the first text is
 * shown; until then the text stands as it is.
 */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <Suspense fallback={<div className={styles.plain}>{text}</div>}>
      <View text={text} />
    </Suspense>
  );
}
