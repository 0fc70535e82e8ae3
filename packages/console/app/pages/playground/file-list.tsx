import type { FileUIPart } from 'ai';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/button.tsx';
import styles from './playground.module.css';

/**
 * Files of a message. Only pictures that the message itself contains are shown: others would be
 * requests to other servers.
 */
export function FileList({
  files,
  onRemove,
}: {
  readonly files: readonly FileUIPart[];
  readonly onRemove?: (file: FileUIPart) => void;
}): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label="Files">
      {files.map((file, index) => (
        <li key={index}>
          {file.mediaType.startsWith('image/') && file.url.startsWith('data:') && (
            <img src={file.url} alt={file.filename ?? 'Picture'} />
          )}
          <span>{file.filename ?? file.mediaType}</span>
          {onRemove && (
            <IconButton icon="close" label={`Remove ${file.filename ?? 'the file'}`} onClick={() => onRemove(file)} />
          )}
        </li>
      ))}
    </ul>
  );
}
