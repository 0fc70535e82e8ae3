import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';
import styles from './file-link.module.css';

/** A file is never loaded by itself: another server would learn that somebody looks at it. */
export function FileLink({
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
    <span className={styles.file}>
      {(isWeb || isData) && <Icon name={isWeb ? 'external' : 'download'} />}
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
      {mediaType !== undefined && <span className={styles.type}>{mediaType}</span>}
    </span>
  );
}
