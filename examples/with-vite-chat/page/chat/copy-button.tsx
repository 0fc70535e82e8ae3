import { type ReactNode, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';

/** Copies the Markdown of an answer. Browsers allow it on localhost and with HTTPS only. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  if (!isSecureContext) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : 'Copy the answer'}
      onClick={() => void copy()}
      onPointerLeave={() => setIsCopied(false)}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
