import type { ReactNode } from 'react';
import { FileLink } from '../../ui/file-link.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { isStopped } from './is-stopped.ts';
import { ToolPart } from './tool-part.tsx';
import styles from './conversations.module.css';

/** The fields that the parts shown here may have. Anything else is shown as JSON. */
interface Part {
  readonly type: string;
  readonly kind?: string;
  readonly text?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly title?: string;
  readonly data?: unknown;
}

/** The parts of a stored message. What people and models wrote is text or markdown without HTML. */
export function MessageParts({
  parts,
  isMarkdown,
}: {
  readonly parts: readonly unknown[];
  readonly isMarkdown: boolean;
}): ReactNode {
  return parts.map((part, index) => (
    // Parts have no ids, and their order does not change.
    <MessagePart key={index} part={part as Part} isMarkdown={isMarkdown} />
  ));
}

function MessagePart({ part, isMarkdown }: { readonly part: Part; readonly isMarkdown: boolean }): ReactNode {
  const { data, filename, kind, mediaType, text = '', title, type, url } = part;
  switch (type) {
    case 'step-start':
      return null;
    case 'text':
      return isMarkdown ? (
        <Markdown text={text} />
      ) : (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      );
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <p className={styles.text}>{text}</p>
        </details>
      );
    case 'file':
    case 'reasoning-file':
      return <FileLink name={filename ?? title ?? 'File'} mediaType={mediaType} url={url} />;
    case 'source-url':
    case 'source-document':
      return <FileLink name={title ?? url ?? filename ?? 'Source'} mediaType={mediaType} url={url} />;
    default:
      if (kind === 'halyard.incomplete')
        return (
          <p className={styles.soft}>
            {isStopped(part) ? 'The user stopped this answer.' : 'This answer is incomplete.'}
          </p>
        );
      if (type === 'dynamic-tool' || type.startsWith('tool-')) return <ToolPart part={part} />;
      return <JsonView label={type} value={type.startsWith('data-') ? data : part} />;
  }
}
