import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';

/** The schemas of the workflow's input, result, suspensions and resume data. */
export function WorkflowSchemas({
  workflow,
}: {
  readonly workflow: components['schemas']['WorkflowDetail'];
}): ReactNode {
  const { inputSchema, resultSchema, resumeSchema, suspendSchema } = workflow;
  const schemas = {
    Input: inputSchema,
    Result: resultSchema,
    'What its steps ask with': suspendSchema,
    'What they are answered with': resumeSchema,
  };
  const shown = Object.entries(schemas).filter(([, schema]) => schema !== null);
  if (shown.length === 0)
    return (
      <EmptyState title="The workflow has no schemas">
        Any JSON starts it. With a schema for its input, the server checks requests, and this console shows a form.
      </EmptyState>
    );
  return shown.map(([title, schema]) => (
    <Section key={title} title={title}>
      <JsonView value={schema} label={title} depth={4} />
    </Section>
  ));
}
