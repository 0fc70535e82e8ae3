import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import styles from './panel.module.css';

/** The editor of the schema for structured output. What it contains counts while it is a schema. */
export function SchemaPanel({
  onChange,
  schema,
}: {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly onChange: (schema: Readonly<Record<string, unknown>>) => void;
}): ReactNode {
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(schema, null, 2));
  const problem = findProblem(text);
  useEffect(() => {
    setText((current) => (isSame(current, schema) ? current : JSON.stringify(schema, null, 2)));
  }, [schema]);
  const change = (next: string): void => {
    setText(next);
    if (findProblem(next) === undefined) onChange(JSON.parse(next) as Record<string, unknown>);
  };
  return (
    <div className={styles.panel}>
      <label className={styles.label} htmlFor={id}>
        JSON Schema of the answer
      </label>
      <textarea
        id={id}
        className={styles.editor}
        spellCheck={false}
        rows={18}
        value={text}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${id}-problem`} className={styles.problem} role="status">
        {problem}
      </p>
      <div className={styles.buttons}>
        <Button
          look="quiet"
          disabled={problem !== undefined}
          onClick={() => setText(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Put in order
        </Button>
        <Button look="quiet" onClick={() => change(JSON.stringify(exampleSchema, null, 2))}>
          Example
        </Button>
      </div>
    </div>
  );
}

export const exampleSchema = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'A short title' },
    urgency: { type: 'string', enum: ['low', 'normal', 'high'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['title', 'urgency'],
  additionalProperties: false,
} as const;

function findProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'A schema is an object.';
    if (!('type' in value) || value.type !== 'object') return 'The answer is an object: add "type": "object".';
    return undefined;
  } catch (error) {
    const place = /line \d+ column \d+|position \d+/.exec(String(error))?.[0];
    return place === undefined ? 'This is not JSON yet.' : `This is not JSON yet: see ${place}.`;
  }
}

function isSame(text: string, schema: object): boolean {
  return findProblem(text) === undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(schema);
}
