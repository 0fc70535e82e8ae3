import type { ReactNode } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
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
      return isMarkdown ? <Markdown text={text} /> : <p className={styles.text}>{text}</p>;
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <p className={styles.text}>{text}</p>
        </details>
      );
    case 'file':
    case 'reasoning-file':
      return <FilePart name={filename ?? title ?? 'File'} mediaType={mediaType} url={url} />;
    case 'source-url':
    case 'source-document':
      return <FilePart name={title ?? url ?? filename ?? 'Source'} mediaType={mediaType} url={url} />;
    default:
      if (kind === 'halyard.incomplete') return <p className={styles.soft}>This answer is incomplete.</p>;
      if (type === 'dynamic-tool' || type.startsWith('tool-')) return <ToolPart part={part} />;
      return <JsonView label={type} value={type.startsWith('data-') ? data : part} />;
  }
}

/** A file is never loaded by itself: another server would learn that somebody looks at it. */
function FilePart({
  name,
  mediaType,
  url,
}: {
  readonly name: string;
  readonly mediaType: string | undefined;
  readonly url: string | undefined;
}): ReactNode {
  const isWeb = url !== undefined && /^https?:/i.test(url);
  const isData = url !== undefined && /^data:/i.test(url);
  return (
    <p className={styles.file}>
      <Icon name={isWeb ? 'external' : 'download'} />
      {isWeb ? (
        <a href={url} target="_blank" rel="noreferrer nofollow ugc">
          {name}
        </a>
      ) : isData ? (
        <a href={url} download={name}>
          {name}
        </a>
      ) : (
        <span>{name}</span>
      )}
      {mediaType !== undefined && <span className={styles.soft}>{mediaType}</span>}
    </p>
  );
}
