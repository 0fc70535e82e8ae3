import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';

/** A JSON value: text as text, a flat object as a list of its fields, everything else as formatted JSON. */
export function ReadableValue({ value }: { readonly value: unknown }): ReactNode {
  if (value === undefined || value === null) return <p className="value-none">Nothing</p>;
  if (typeof value !== 'object') return <p className="value-text">{scalarText(value)}</p>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="value-none">Nothing</p>;
  if (Array.isArray(value) || entries.some(([, field]) => typeof field === 'object' && field !== null))
    return <CodeBlock language="json" code={JSON.stringify(value, null, 2)} />;
  return (
    <dl>
      {entries.map(([name, field]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{String(field)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The value in one line: `Tokyo`, `26.2, miles, kilometres`. */
export function briefly(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return scalarText(value).slice(0, 200);
  return Object.values(value)
    .map((field) => (typeof field === 'object' && field !== null ? JSON.stringify(field) : String(field)))
    .join(', ')
    .slice(0, 200);
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
