import { type ReactNode, useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import type { IconName } from './icons.tsx';

export function CopyButton({
  text,
  className,
  label = 'Copy',
  icon = 'copy',
}: {
  readonly text: string;
  readonly className?: string | undefined;
  readonly label?: string;
  readonly icon?: IconName;
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
      icon={isCopied ? 'check' : icon}
      label={isCopied ? 'Copied' : label}
      className={className}
      onClick={() => void copy()}
    />
  );
}
