import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { components } from '../../api/schema.ts';
import { Facts } from '../../ui/facts.tsx';
import { FilterSelect } from '../../ui/filters.tsx';
import { formatDuration } from '../../ui/format.ts';
import { StepGraph } from '../../ui/graph/step-graph-lazy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState } from '../../ui/notice.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { kindOf, toGraph, type WorkflowStep } from './workflow-graph.ts';

type WorkflowDetail = components['schemas']['WorkflowDetail'];

/** The steps of a workflow as a graph, of its current version or of an earlier one. */
export function WorkflowDefinition({
  onSelect,
  onVersion,
  selectedId,
  steps,
  version,
  workflow,
}: {
  readonly workflow: WorkflowDetail;
  /** Those of the version. */
  readonly steps: readonly WorkflowStep[];
  /** The place of an earlier version; undefined: the current one. */
  readonly version: string | undefined;
  readonly onVersion: (version: string | undefined) => void;
  readonly selectedId: string | undefined;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const [toggled, toggle] = useToggled();
  const { versions = [] } = workflow;
  if (workflow.steps.length === 0)
    return <EmptyState title="The workflow has no steps">It returns its input as its result.</EmptyState>;
  return (
    <StepGraph
      label={`Steps of ${workflow.name}`}
      nodes={toGraph(steps, toggled)}
      selectedId={selectedId}
      onSelect={onSelect}
      onToggle={toggle}
      above={
        versions.length > 0 && (
          <FilterSelect
            label="Version"
            value={version}
            all="current"
            options={versions.map(({ isReplaced }, index) => ({
              value: String(index),
              name: `earlier ${index + 1}${isReplaced ? ', replaced' : ''}`,
            }))}
            onChange={onVersion}
          />
        )
      }
    />
  );
}

export function useToggled(): readonly [ReadonlySet<string>, (id: string) => void] {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void =>
    setToggled((current) => {
      const next = new Set(current);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return [toggled, toggle];
}

/** What is known about a step. */
export function StepDetails({
  onClose,
  step,
}: {
  readonly step: WorkflowStep;
  readonly onClose: () => void;
}): ReactNode {
  const { agentId, compensates, event, id, inputSchema, name, outputSchema, purpose, starts, timeoutMs } = step;
  const { resumeSchema, suspendSchema, workflowId } = step;
  const schemas = {
    Input: inputSchema,
    Output: outputSchema,
    'Asks with': suspendSchema,
    'Is answered with': resumeSchema,
  };
  return (
    <SidePanel title={name} label={`Step ${name}`} closeLabel="Close the details" onClose={onClose}>
      {purpose !== '' && <p>{purpose}</p>}
      <Facts
        facts={{
          Id: <code>{id}</code>,
          Type: (
            <>
              {kindOf(step)} <code>{step.type}</code>
            </>
          ),
          Agent: agentId && (
            <Link to="/agents/$agentId" params={{ agentId }}>
              {agentId}
            </Link>
          ),
          Workflow: (workflowId ?? starts) && (
            <Link to="/workflows/$workflowId" params={{ workflowId: workflowId ?? starts ?? '' }}>
              {workflowId ?? starts}
            </Link>
          ),
          Event: event && <code>{event}</code>,
          'Waits at most': timeoutMs === undefined ? undefined : formatDuration(timeoutMs),
          Undo: compensates === true ? 'undone when the workflow fails' : undefined,
        }}
      />
      {Object.entries(schemas).map(([title, schema]) =>
        schema === undefined ? null : (
          <section key={title}>
            <h3>{title}</h3>
            <JsonView value={schema} label={`${title} of ${name}`} depth={3} />
          </section>
        ),
      )}
    </SidePanel>
  );
}
