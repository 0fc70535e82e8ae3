import type { FileUIPart } from 'ai';
import type { ReactNode } from 'react';
import { CloseIcon } from './icons.tsx';

/** The server accepts requests up to 8 MiB, and files grow by a third in them. */
const maxTotalBytes = 5 * 1024 * 1024;

/** @throws Error when the files are too large together. */
export async function readFiles(files: readonly File[], attached: readonly FileUIPart[]): Promise<FileUIPart[]> {
  const attachedBytes = attached.reduce((sum, { url }) => sum + (url.length * 3) / 4, 0);
  const total = files.reduce((sum, { size }) => sum + size, attachedBytes);
  if (total > maxTotalBytes) throw new Error('The files are too large: at most 5 MB can be sent with one message.');
  return Promise.all(files.map(toFilePart));
}

async function toFilePart(file: File): Promise<FileUIPart> {
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  return { type: 'file', mediaType, filename: file.name, url };
}

interface AttachmentsProps {
  readonly files: readonly FileUIPart[];
  /** Absent in a message that was sent. */
  readonly onRemove?: (file: FileUIPart) => void;
}

export function Attachments({ files, onRemove }: AttachmentsProps): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label="Files">
      {files.map((file, index) => (
        <li key={index}>
          {file.mediaType.startsWith('image/') && file.url.startsWith('data:') && (
            <img src={file.url} alt={file.filename ?? 'Picture'} />
          )}
          <span>{file.filename ?? file.mediaType}</span>
          {onRemove !== undefined && (
            <button
              type="button"
              className="icon"
              aria-label={`Remove ${file.filename ?? 'the file'}`}
              onClick={() => onRemove(file)}
            >
              <CloseIcon />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
