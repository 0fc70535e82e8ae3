import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { Section } from '../../ui/page.tsx';

/** The input, the result and the details of the execution. */
export function ExecutionData({
  execution,
}: {
  readonly execution: components['schemas']['ExecutionState'];
}): ReactNode {
  const { context, input, metadata, output, workflowState } = execution;
  const values = {
    Input: input,
    ...(output !== undefined && { Result: output }),
    State: workflowState,
    Context: context,
    Metadata: metadata,
  };
  return Object.entries(values).map(([title, value]) => (
    <Section key={title} title={title}>
      <JsonView value={value} label={title} />
    </Section>
  ));
}
