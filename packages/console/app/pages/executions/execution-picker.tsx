import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FilterSelect } from '../../ui/filters.tsx';
import { shortId } from '../../ui/format.ts';
import { stateOf } from './execution-filter.ts';
import { latestRunsQuery } from './read-execution.ts';

/** One of the latest executions of a workflow, or the one that the address names. */
export function ExecutionPicker({
  label,
  onChange,
  value,
  workflowId,
}: {
  readonly label: string;
  readonly workflowId: string;
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
}): ReactNode {
  const { data = [] } = useQuery(latestRunsQuery(workflowId));
  const options = data.map((record) => ({
    value: record.id,
    name: `${shortId(record.id)}, ${stateOf(record)}`,
  }));
  const isListed = value === undefined || data.some(({ id }) => id === value);
  return (
    <FilterSelect
      label={label}
      value={value}
      all="choose"
      options={isListed ? options : [{ value, name: shortId(value) }, ...options]}
      onChange={(id) => id !== undefined && onChange(id)}
    />
  );
}
