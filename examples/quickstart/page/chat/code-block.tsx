import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  return (
    <figure className="code">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
