import { type ReactNode, useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';

export function CopyButton({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
