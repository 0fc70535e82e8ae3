import type { FileUIPart } from 'ai';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { FileLink } from '../../ui/file-link.tsx';
import styles from './playground.module.css';

type ListedFile = Pick<FileUIPart, 'filename' | 'mediaType' | 'url'>;

/**
 * Files of a message. Only pictures that the message itself contains are shown: others would be
 * requests to other servers.
 */
export function FileList({
  files,
  onRemove,
}: {
  readonly files: readonly ListedFile[];
  readonly onRemove?: (file: ListedFile) => void;
}): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label="Files">
      {files.map((file, index) => (
        <li key={index}>
          {isPicture(file) && <img src={file.url} alt={file.filename ?? 'Picture'} />}
          {onRemove ? (
            <span>{file.filename ?? file.mediaType}</span>
          ) : (
            <FileLink name={file.filename ?? 'File'} mediaType={file.mediaType} url={file.url} />
          )}
          {onRemove && (
            <IconButton icon="close" label={`Remove ${file.filename ?? 'the file'}`} onClick={() => onRemove(file)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isPicture({ mediaType, url }: ListedFile): boolean {
  return mediaType.startsWith('image/') && url.startsWith('data:');
}
