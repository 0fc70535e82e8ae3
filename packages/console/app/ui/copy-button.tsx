import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from './button.tsx';

export function CopyButton({
  text,
  className,
  label = 'Copy',
}: {
  readonly text: string;
  readonly className?: string | undefined;
  readonly label?: string;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      className={className}
      onClick={() => void copy()}
    />
  );
}
